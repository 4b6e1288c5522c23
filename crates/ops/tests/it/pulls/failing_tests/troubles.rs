use super::*;

#[test]
fn a_rate_limit_at_once_is_an_error() {
    let world = World::start();
    let scene = Scene::new(&world);
    let fault = Fault::new(FaultKind::PrimaryRateLimit { reset_after: 600 });
    world.app().faults().add(fault);
    let Err(OpError::Failed { response, .. }) = scene.caller.call(TOOL, &with_pr(&json!({})))
    else {
        panic!("it is limited");
    };
    assert_eq!(response.error, "Rate limited");
    assert!(response.retry_after.is_some_and(|seconds| seconds > 590));
}

#[test]
fn a_rate_limit_in_the_middle_leaves_what_is_known() {
    let world = World::start();
    let scene = Scene::new(&world);
    let run = scene.run(&["test"]);
    run.end(
        "test",
        &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
    );
    let fault = Fault::new(FaultKind::PrimaryRateLimit { reset_after: 600 });
    world
        .app()
        .faults()
        .add(fault.on("GET", "/repos/octo/demo/actions/**"));
    let answer = scene.ask();
    insta::assert_snapshot!(outline(&answer), @"
    failed: 1 check failed without naming a test
    CI / test | test | The check failed and says no more. | check low | pytest
    ");
    assert!(answer["poll_info"]["retry_after_seconds"].as_u64().unwrap() > 590);
}

#[test]
fn a_log_that_is_refused_is_said_to_be() {
    let world = World::start();
    let scene = Scene::new(&world);
    let run = scene.run(&["test"]);
    run.end(
        "test",
        &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
    );
    let fault = Fault::new(FaultKind::ServerError {
        status: 500,
        retry_after: None,
    });
    world
        .app()
        .faults()
        .add(fault.on("GET", "/repos/octo/demo/actions/jobs/**"));
    let answer = scene.ask();
    insta::assert_snapshot!(outline(&answer), @"
    failed: 1 check failed without naming a test
    CI / test | test | The check failed and says no more. | check low | pytest
    ");
    let message = answer["message"].as_str().unwrap();
    insta::assert_snapshot!(message.replace(&world.web_url(), "http://forge"), @"cannot read the log of job 1 in octo/demo: GET http://forge/api/v3/repos/octo/demo/actions/jobs/1/logs: the server answered 500 Internal Server Error: Server Error (after 4 attempts) (Try again later; the server's status page may say more.)");
}
