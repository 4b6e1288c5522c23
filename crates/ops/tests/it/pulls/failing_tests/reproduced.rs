use super::*;

/// A project whose test runner is a script in the sandbox: what `pytest`
/// says is what the file of the test holds.
fn scene(world: &World) -> Scene<'_> {
    world.sandbox.fake(
        "pytest",
        "test -f cart.py || exit 9; cat answer.txt; exit 1",
    );
    let scene = Scene::with(world, |repo| {
        repo.write("answer.txt", pytest(&["tests/test_a.py::test_b"]));
    });
    let run = scene.run(&["test"]);
    let both = pytest(&["tests/test_a.py::test_b", "tests/test_a.py::test_c"]);
    run.end("test", &failed_with("pytest", both));
    scene
}

fn stamps(answer: &Value) -> String {
    let failures = answer["failures"].as_array().unwrap().iter();
    let lines = failures.map(|failure| {
        let stamp = &failure["reproduced"];
        let note = stamp["note"].as_str().unwrap_or("-");
        format!("{} {} {note}", stamp["ran"], stamp["failed_as_reported"])
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn commands_are_run_away_from_the_checkout() {
    let world = World::start();
    let mut scene = scene(&world);
    scene.caller.server.workplace.folder = Some(scene.repo.path().to_owned());
    scene.repo.checkout("main");
    scene.repo.write("README.md", "work under way\n");
    let before = scene.repo.git(&["status", "--porcelain=v2", "--branch"]);
    let answer = scene.ask_with(&json!({ "reproduce": true }));
    insta::assert_snapshot!(stamps(&answer), @"
    true true -
    true false it failed here in another way: `tests/test_a.py::test_b` failed instead
    ");
    assert_eq!(
        scene.repo.git(&["status", "--porcelain=v2", "--branch"]),
        before
    );
    assert_eq!(scene.repo.git(&["worktree", "list"]).lines().count(), 1);
    let left: Vec<_> = fs::read_dir(world.sandbox.path("tmp")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn without_a_checkout_the_commit_is_fetched() {
    let world = World::start();
    let scene = scene(&world);
    let answer = scene.ask_with(&json!({ "reproduce": true }));
    insta::assert_snapshot!(stamps(&answer), @"
    true true -
    true false it failed here in another way: `tests/test_a.py::test_b` failed instead
    ");
}

#[test]
fn a_program_that_is_missing_did_not_run() {
    let world = World::start();
    let scene = scene(&world);
    fs::remove_file(world.sandbox.bin().join("pytest")).unwrap();
    let answer = scene.ask_with(&json!({ "reproduce": true }));
    let place = world.sandbox.bin().display().to_string();
    insta::assert_snapshot!(stamps(&answer).replace(&place, "BIN"), @"
    false false not run: cannot find the program `pytest`: install it or add its folder to PATH (searched BIN)
    false false not run: cannot find the program `pytest`: install it or add its folder to PATH (searched BIN)
    ");
}
