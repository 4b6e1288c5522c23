use baton_testkit::world::JobEnd;

use super::scene::Scene;

const PYTEST: &str = "\
============================= test session starts ==============================
collected 2 items

tests/test_cart.py F.                                                    [100%]

=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       assert total([1, 2]) == 4
E       assert 3 == 4
E        +  where 3 = total([1, 2])

tests/test_cart.py:5: AssertionError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - assert 3 == 4
========================= 1 failed, 1 passed in 0.02s ==========================
";

#[test]
fn failing_tests_are_shown_with_error_place_and_command() {
    let scene = Scene::new();
    let (_, head) = scene.open_pull();
    let run = scene.world.start_run("CI", &head, &["test", "lint"]);
    let failed = JobEnd::failure()
        .set_up()
        .failed_command("pytest", PYTEST, 1);
    run.end("test", &failed);
    run.end("lint", &JobEnd::success());
    insta::assert_snapshot!(scene.ask(&["get-failing-tests", "octo/demo#1"]), @"
    exit 1
    -- stdout
    octo/demo#1  CI failed  1 test failed in tests/test_cart.py (CI / test)
    CI, started 2026-01-31 12:00 UTC, took 1 min 30 s

    ✗ tests/test_cart.py::test_total
      CI / test · tests/test_cart.py:5 · read in the log
      │ assert 3 == 4
      │  +  where 3 = total([1, 2])
      │
      │ tests/test_cart.py:5: assert total([1, 2]) == 4
      $ pytest tests/test_cart.py::test_total
      [forge]/octo/demo/actions/runs/1/job/1
    ");
}

#[test]
fn ci_that_runs_is_said_to_run() {
    let scene = Scene::new();
    let (_, head) = scene.open_pull();
    let run = scene.world.start_run("CI", &head, &["test", "lint"]);
    run.begin("test");
    insta::assert_snapshot!(scene.ask(&["get-failing-tests", "octo/demo#1"]), @"
    exit 0
    -- stdout
    octo/demo#1  CI is running  Nothing has failed so far; 2 checks are still to end
    CI, started 2026-01-31 12:00 UTC

    CI is still running (0 of 2 checks ended); check back in 30s
    ");
    run.pass();
    insta::assert_snapshot!(scene.ask(&["get-failing-tests", "octo/demo#1", "--wait"]), @"
    exit 0
    -- stdout
    octo/demo#1  CI passed  All 2 checks passed
    CI, started 2026-01-31 12:00 UTC, took 1 min 30 s
    ");
}

#[test]
fn no_ci_is_nothing_failing() {
    let scene = Scene::new();
    scene.open_pull();
    insta::assert_snapshot!(scene.ask(&["get-failing-tests", "octo/demo#1"]), @"
    exit 0
    -- stdout
    octo/demo#1  CI unknown  No CI checks configured
    ");
}

#[test]
fn conflicts_are_shown_with_all_sides_and_the_way_out() {
    let scene = Scene::new();
    let repo = scene.world.checkout();
    repo.commit_file("cart.py", "total = 0\nprint(total)\n", "Add the cart");
    scene.world.push(&repo, "main");
    repo.branch("fix/cart");
    repo.commit_file("cart.py", "total = 1\nprint(total)\n", "Begin with one");
    scene.world.push(&repo, "fix/cart");
    repo.git(&["checkout", "--quiet", "main"]);
    let there = "total = 2\u{1b}[2J\nprint(total)\n";
    repo.commit_file("cart.py", there, "Begin with \u{1b}]0;two\u{7}");
    scene.world.push(&repo, "main");
    scene.world.open_pull("Fix the cart", "fix/cart", "main");
    insta::assert_snapshot!(scene.ask(&["detect-merge-conflicts", "octo/demo#1"]), @"
    exit 1
    -- stdout
    octo/demo#1  conflicts in 1 file with main  (25a1389 into fa664a4)
    state: dirty; the forge says dirty

    ✗ cart.py  contents
      both began with:
      │ total = 0
      │ print(total)
      main:
      │ total = 2�[2J
      the pull request:
      │ total = 1
      changed by fa664a4 Begin with �]0;two�  Test Author

    To resolve
    about 5 minutes (1 file in conflict)
    $ gh pr checkout 1 --repo octo/demo
    $ git fetch origin main
    $ git merge --no-edit FETCH_HEAD
    $ git status --short
    $ git add -- cart.py
    $ git commit --no-edit
    $ git push
    ");
}

#[test]
fn what_merges_is_one_line() {
    let scene = Scene::new();
    scene.open_pull();
    insta::assert_snapshot!(scene.ask(&["detect-merge-conflicts", "octo/demo#1"]), @"
    exit 0
    -- stdout
    octo/demo#1  merges into main  (2250ffb into 3a0b072)
    state: clean; the forge says clean
    ");
}
