use baton_testkit::world::{JobEnd, World};

/// The conclusions that the forge tells of a commit's checks.
fn checks(world: &World, sha: &str) -> Vec<String> {
    let path = format!("/repos/octo/demo/commits/{sha}/check-runs");
    let answer = world.client("guest").get(&path).expect(200).json();
    let runs = answer["check_runs"].as_array().cloned().unwrap_or_default();
    runs.iter()
        .map(|run| {
            let conclusion = run["conclusion"].as_str().unwrap_or("-");
            format!("{} {conclusion}", run["name"].as_str().unwrap())
        })
        .collect()
}

#[test]
fn ci_says_what_the_test_wants() {
    let world = World::start();
    let repo = world.checkout();
    repo.branch("fix/cart");
    let head = repo.commit_file("cart.py", "", "Fix the cart");
    world.push(&repo, "fix/cart");
    assert_eq!(world.open_pull("Fix the cart", "fix/cart", "main"), 1);

    let mut run = world.start_run("CI", &head, &["test", "lint"]);
    run.begin("test");
    let broken = JobEnd::failure().set_up();
    run.end("test", &broken.failed_command("pytest", "1 failed", 1));
    run.end("lint", &JobEnd::success());
    run.artifact("junit", "report.xml", b"<testsuites/>");
    assert_eq!(checks(&world, &head), ["test failure", "lint success"]);
    let first = run.job("test");

    run.rerun();
    assert_ne!(run.job("test"), first);
    run.pass();
    assert_eq!(checks(&world, &head), ["test success", "lint success"]);
    world.status(&head, "legacy", "failure", "1 of 9 failed");
    world.require_checks("main", &["test"]);
}
