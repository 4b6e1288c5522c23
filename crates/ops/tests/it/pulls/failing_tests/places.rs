//! Files are named as the repository has them, and one test is one failure.

use super::*;

fn remark(path: &str) -> JobEnd {
    let annotation = json!({
        "path": path, "start_line": 7, "end_line": 7, "annotation_level": "failure",
        "title": "tests/test_basket.py::test_total", "message": "AssertionError: assert 1 == 2",
    });
    failed_with("pytest -q", "…").annotation(&annotation)
}

fn with_test(repo: &Repo<'_>) {
    repo.write("tests/test_basket.py", "def test_total(): ...\n");
}

fn file_of(answer: &Value) -> &str {
    answer["failures"][0]["file_path"].as_str().unwrap()
}

#[test]
fn two_runs_of_one_check_are_one_failure() {
    let world = World::start();
    let scene = Scene::with(&world, with_test);
    for run in 1..=2 {
        let path = format!("/tmp/forge/actions/work/{run}/tests/test_basket.py");
        scene.run(&["test"]).end("test", &remark(&path));
    }
    let answer = scene.ask();
    insta::assert_snapshot!(outline(&answer), @"
    failed: 1 test failed in tests/test_basket.py (CI / test)
    CI / test | tests/test_basket.py::test_total | AssertionError: assert 1 == 2 | annotations medium | pytest tests/test_basket.py::test_total
    ");
    assert_eq!(file_of(&answer), "tests/test_basket.py");
    assert_eq!(answer["ci_info"]["run_id"], 2);
}

#[test]
fn a_run_that_passes_replaces_one_that_failed() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.run(&["test"]).end("test", &remark("a.py"));
    let newer = scene.run(&["test"]);
    assert_eq!(scene.ask()["status"], "pending");
    newer.pass();
    insta::assert_snapshot!(outline(&scene.ask()), @"passed: The only check passed");
}

#[test]
fn a_check_that_passed_in_an_earlier_run_is_flaky() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.run(&["test"]).pass();
    scene.run(&["test"]).end("test", &remark("a.py"));
    insta::assert_snapshot!(verdicts(&scene.ask()), @"tests/test_basket.py::test_total: flaky: an earlier attempt of `CI / test` passed on the same commit 2250ffb");
}

#[test]
fn a_path_of_any_machine_is_found_among_the_files_of_the_commit() {
    let world = World::start();
    let mut scene = Scene::with(&world, with_test);
    let path = "/srv/builds/7/tests/test_basket.py";
    scene.run(&["test"]).end("test", &remark(path));
    // Among those that the pull request changes, as nothing else is at hand.
    let answer = scene.ask();
    assert_eq!(file_of(&answer), "tests/test_basket.py");
    insta::assert_snapshot!(outline(&answer), @"
    failed: 1 test failed in tests/test_basket.py (CI / test)
    CI / test | tests/test_basket.py::test_total | AssertionError: assert 1 == 2 | annotations medium | pytest tests/test_basket.py::test_total
    ");

    let server = &mut scene.caller.server;
    server.workplace.folder = Some(scene.repo.path().to_owned());
    let before = scene.caller.spent().requests;
    let answer = scene.ask();
    let asked = scene.caller.spent().requests - before;
    assert_eq!(file_of(&answer), "tests/test_basket.py");
    scene.caller.server.workplace.folder = None;
    let before = scene.caller.spent().requests;
    scene.ask();
    assert_eq!(scene.caller.spent().requests - before, asked + 1);
}
