use super::*;

#[test]
fn failures_are_compared_with_the_base_branch() {
    let world = World::start();
    let scene = Scene::new(&world);
    let main = scene.run_on_main(&["test", "lint"]);
    main.end(
        "test",
        &failed_with("pytest", pytest(&["tests/test_a.py::test_old"])),
    );
    main.end("lint", &JobEnd::success());
    let run = scene.run(&["test", "lint", "new"]);
    let both = pytest(&["tests/test_a.py::test_new", "tests/test_a.py::test_old"]);
    run.end("test", &failed_with("pytest", both));
    run.end(
        "lint",
        &failed_with("npx eslint .", captured("eslint/compact/output.txt")),
    );
    run.end("new", &failed_with("make", "no such target"));
    let answer = scene.ask();
    insta::assert_snapshot!(verdicts(&answer), @"");
    insta::assert_snapshot!(serde_json::to_string_pretty(&answer["instructions"]).unwrap(), @"");
}

#[test]
fn what_passed_before_on_the_same_commit_is_flaky() {
    let world = World::start();
    let scene = Scene::new(&world);
    let mut run = scene.run(&["test"]);
    run.pass();
    run.rerun();
    run.end(
        "test",
        &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
    );
    let answer = scene.ask();
    insta::assert_snapshot!(verdicts(&answer), @"");
    insta::assert_snapshot!(answer["instructions"]["priority"][0]["suggested_fix"].as_str().unwrap(), @"");
}

#[test]
fn machines_and_workflows_are_told_from_tests() {
    let world = World::start();
    let scene = Scene::new(&world);
    let run = scene.run(&["lost", "set-up", "action", "stopped"]);
    let lost = json!({
        "path": ".github", "start_line": 1, "end_line": 1, "annotation_level": "failure",
        "message": "The hosted runner lost communication with the server.",
    });
    run.end("lost", &JobEnd::failure().set_up().annotation(&lost));
    let broken = JobEnd::failure().set_up();
    run.end(
        "set-up",
        &broken.step(
            "Run actions/setup-node@v4",
            "failure",
            "503 from the mirror",
        ),
    );
    let missing = "##[error]Unable to resolve action `octo/gone@v1`, not found";
    run.end(
        "action",
        &JobEnd::failure().step("Set up job", "failure", missing),
    );
    run.end("stopped", &JobEnd::with("cancelled"));
    world
        .start_run("Broken", &scene.head, &[])
        .end_without_jobs("startup_failure");
    insta::assert_snapshot!(verdicts(&scene.ask()), @"");
}

#[test]
fn a_required_check_that_nobody_reported_is_missing() {
    let world = World::start();
    let scene = Scene::new(&world);
    world.require_checks("main", &["test", "audit"]);
    scene.run(&["test"]).pass();
    let answer = scene.ask();
    assert_eq!(answer["status"], "running");
    assert_eq!(answer["failures"][0]["required"], true);
    insta::assert_snapshot!(verdicts(&answer), @"");
}

#[test]
fn required_checks_come_first() {
    let world = World::start();
    let scene = Scene::new(&world);
    world.require_checks("main", &["unit"]);
    let run = scene.run(&["all", "unit"]);
    run.end(
        "all",
        &failed_with("pytest", pytest(&["tests/test_a.py::test_a"])),
    );
    run.end(
        "unit",
        &failed_with("pytest", pytest(&["tests/test_b.py::test_b"])),
    );
    let answer = scene.ask();
    insta::assert_snapshot!(outline(&answer), @"");
    insta::assert_snapshot!(answer["instructions"]["priority"][0]["reason"].as_str().unwrap(), @"");
}
