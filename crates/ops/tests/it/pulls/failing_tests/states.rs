use super::*;

#[test]
fn no_ci_is_an_answer() {
    let world = World::start();
    let scene = Scene::new(&world);
    insta::assert_snapshot!(scene.shown(), @"");
}

#[test]
fn nothing_has_started() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.run(&["test", "lint"]);
    insta::assert_snapshot!(scene.shown(), @"");
}

#[test]
fn failures_are_told_while_others_run() {
    let world = World::start();
    let scene = Scene::new(&world);
    let run = scene.run(&["test", "lint"]);
    run.begin("lint");
    run.end(
        "test",
        &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
    );
    let answer = scene.ask();
    insta::assert_snapshot!(outline(&answer), @"");
    insta::assert_snapshot!(answer["poll_info"]["message"].as_str().unwrap(), @"");
    insta::assert_snapshot!(answer["message"].as_str().unwrap(), @"");
}

#[test]
fn everything_passed() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.run(&["test", "lint"]).pass();
    world.status(&scene.head, "legacy", "success", "fine");
    insta::assert_snapshot!(scene.shown(), @"");
}

#[test]
fn a_missing_pull_request_is_named() {
    let world = World::start();
    let office = Office::new(&world);
    let error = office.error(TOOL, &json!({ "pr": "octo/demo#7" }));
    insta::assert_snapshot!(error, @"");
}

#[test]
fn a_commit_is_asked_about_by_itself() {
    let world = World::start();
    let scene = Scene::new(&world);
    let run = scene.run_on_main(&["test"]);
    run.end(
        "test",
        &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
    );
    let main = scene.repo.git(&["rev-parse", "main"]);
    let pr = format!("octo/demo@{main}");
    let answer = scene.office.ask(TOOL, &json!({ "pr": pr }));
    assert_eq!(answer["pr"], pr);
    insta::assert_snapshot!(outline(&answer), @"");
    let missing = format!("octo/demo@{}", "0".repeat(40));
    insta::assert_snapshot!(scene.office.error(TOOL, &json!({ "pr": missing })), @"");
}

#[test]
fn the_branch_that_is_checked_out_has_a_pull_request() {
    let world = World::start();
    let mut scene = Scene::new(&world);
    let desk = &mut scene.office.desk;
    desk.here = Some(Repository::new("octo", "demo").unwrap());
    desk.workplace.folder = Some(scene.repo.path().to_owned());
    let found = world.block_on(desk.pull_of_this_branch()).unwrap();
    assert_eq!(found.to_string(), "octo/demo#1");
    scene.repo.branch("other");
    let error = world.block_on(desk.pull_of_this_branch()).unwrap_err();
    let ToolError::Failed { response, .. } = error else {
        panic!("{error:?}");
    };
    insta::assert_snapshot!(response.error, @"");
}

#[test]
fn a_closed_pull_request_has_its_checks_still() {
    let world = World::start();
    let scene = Scene::new(&world);
    let run = scene.run(&["test"]);
    run.end(
        "test",
        &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
    );
    let closed = json!({ "state": "closed" });
    let client = world.client("octo");
    client
        .patch("/repos/octo/demo/pulls/1", &closed)
        .expect(200);
    insta::assert_snapshot!(outline(&scene.ask()), @"");
}

#[test]
fn a_failure_is_told_in_full() {
    let world = World::start();
    let scene = Scene::new(&world);
    world.require_checks("main", &["test"]);
    scene.run_on_main(&["test"]).pass();
    let run = scene.run(&["test"]);
    run.end(
        "test",
        &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
    );
    world.status(&scene.head, "legacy", "failure", "3 problems");
    insta::assert_snapshot!(scene.shown(), @"");
}
