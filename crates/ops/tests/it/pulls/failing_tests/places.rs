//! Files are named as the repository has them.

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
fn a_path_of_any_machine_is_found_among_the_files_of_the_commit() {
    let world = World::start();
    let mut scene = Scene::with(&world, with_test);
    let path = "/srv/builds/7/tests/test_basket.py";
    scene.run(&["test"]).end("test", &remark(path));
    // Among those that the pull request changes, as nothing else is at hand.
    let answer = scene.ask();
    assert_eq!(file_of(&answer), "tests/test_basket.py");
    insta::assert_snapshot!(outline(&answer), @r"
    failed: 1 test failed in tests/test_basket.py (CI / test)
    CI / test | tests/test_basket.py::test_total | AssertionError: assert 1 == 2 | annotations medium | pytest tests/test_basket.py::test_total
    ");

    let desk = &mut scene.office.desk;
    desk.workplace.folder = Some(scene.repo.path().to_owned());
    let before = scene.office.spent().requests;
    let answer = scene.ask();
    let asked = scene.office.spent().requests - before;
    assert_eq!(file_of(&answer), "tests/test_basket.py");
    scene.office.desk.workplace.folder = None;
    let before = scene.office.spent().requests;
    scene.ask();
    assert_eq!(scene.office.spent().requests - before, asked + 1);
}
