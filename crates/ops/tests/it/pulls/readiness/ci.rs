use super::*;

fn scene(world: &World) -> Scene<'_> {
    let scene = Scene::new(world);
    world.require_checks("main", &["test"]);
    scene
}

/// Both tools count the newest run of a workflow, whatever the one before it came to.
#[test]
fn a_run_that_a_newer_one_replaced_counts_no_more() {
    let world = World::start();
    let scene = scene(&world);
    let both = || {
        let caller = ToolCaller::new(&world);
        let tests = caller.ask("get_failing_tests", &json!({ "pr": "octo/demo#1" }));
        let ready = scene.ask();
        let (status, passing) = (&tests["status"], &ready["checks"]["ci_passing"]);
        format!("{status} {passing} {}", ready["ready_to_merge"])
    };
    let older = scene.run(&["test", "lint"]);
    older.end("test", &JobEnd::failure());
    older.end("lint", &JobEnd::success());
    assert_eq!(both(), r#""failed" false false"#);
    let newer = scene.run(&["test", "lint"]);
    assert!(both().ends_with("false false"));
    newer.pass();
    assert_eq!(both(), r#""passed" true true"#);
}

#[test]
fn in_all_its_states() {
    let world = World::start();
    let scene = scene(&world);
    let mut seen = vec![format!("none\n{}", scene.outline())];
    let run = scene.run(&["test", "lint"]);
    seen.push(format!("pending\n{}", scene.outline()));
    run.begin("test");
    run.end("lint", &JobEnd::failure());
    seen.push(format!("running\n{}", scene.outline()));
    run.end("test", &JobEnd::success());
    seen.push(format!(
        "passed but for one that is not required\n{}",
        scene.outline()
    ));
    insta::assert_snapshot!(seen.join("\n\n"), @"
    none
    ready: false (approvals_met no_conflicts up_to_date)
    failing required_check: statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    No CI reports on the head. The caller may merge past the rules as an administrator.

    pending
    ready: false (approvals_met no_conflicts up_to_date)
    failing required_check: statusCheckRollup: `test` = QUEUED
    failing ci: statusCheckRollup: `lint` = QUEUED
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    CI is under way. The caller may merge past the rules as an administrator.

    running
    ready: false (approvals_met no_conflicts up_to_date)
    failing required_check: statusCheckRollup: `test` = IN_PROGRESS
    failing ci: statusCheckRollup: `lint` = FAILURE
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    Not required and failed: lint. The caller may merge past the rules as an administrator.

    passed but for one that is not required
    ready: false (approvals_met no_conflicts up_to_date branch_protection_satisfied)
    failing ci: statusCheckRollup: `lint` = FAILURE
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    satisfied required_check: statusCheckRollup: `test` = SUCCESS
    Not required and failed: lint. The caller may merge past the rules as an administrator.
    ");
}

#[test]
fn what_is_missing_is_looked_at_with_gh() {
    let world = World::start();
    let scene = scene(&world);
    scene.run(&["test"]);
    let Some(shell) = Shell::new(&world, "octo") else {
        return;
    };
    let commands = commands(&scene.ask(), "required_check");
    assert_eq!(commands, ["gh pr checks 1 --repo octo/demo"]);
    let output = shell.run(&commands[0]);
    // So `gh` says that something is under way.
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.starts_with("test\tpending"), "{said}");
}

#[test]
fn a_check_can_be_unable_to_report() {
    let world = World::start();
    let workflow = "on:\n  pull_request:\n    paths: ['src/**']\n  workflow_dispatch:\njobs:\n  test:\n    runs-on: x\n";
    let scene = Scene::with(
        &world,
        |repo| {
            repo.write(".github/workflows/ci.yml", workflow);
        },
        |_| {},
    );
    world.require_checks("main", &["test", "elsewhere"]);
    // The forge knows a workflow from its runs.
    let main = scene.repo.git(&["rev-parse", "main"]);
    world.start_run("CI", &main, &["test"]).pass();
    insta::assert_snapshot!(scene.outline(), @"
    ready: false (approvals_met no_conflicts up_to_date)
    failing required_check: statusCheckRollup: `test` is not reported and never will be: .github/workflows/ci.yml: on.pull_request.paths leaves out every changed file
    failing required_check: statusCheckRollup: `elsewhere` is not reported and no workflow of the head has a job of this name: another service has to report it
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    No CI reports on the head. The caller may merge past the rules as an administrator.
    ");
    let answer = scene.ask();
    let commands = commands(&answer, "required_check");
    insta::assert_snapshot!(commands.join("\n"), @"gh workflow run ci.yml --ref fix/cart --repo octo/demo");
    assert_eq!(
        scene.cost(),
        Spent {
            requests: 6,
            points: 3
        }
    );
    if let Some(shell) = Shell::new(&world, "octo") {
        // The forge starts no workflow that it does not run itself, and
        // refuses this one by its name.
        let output = shell.run(&commands[0]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            said.contains("Workflow does not have 'workflow_dispatch' trigger"),
            "{said}"
        );
    }
}

#[test]
fn a_commit_that_skips_ci_is_followed_by_one_that_does_not() {
    let world = World::start();
    let scene = Scene::with(
        &world,
        |repo| {
            let text = "on: pull_request\njobs:\n  test:\n    runs-on: x\n";
            repo.write(".github/workflows/ci.yml", text);
        },
        |_| {},
    );
    world.require_checks("main", &["test"]);
    scene
        .repo
        .commit_file("cart.py", "total = 1\n", "Count [skip ci]");
    world.push(&scene.repo, "fix/cart");
    insta::assert_snapshot!(scene.outline(), @"
    ready: false (approvals_met no_conflicts up_to_date)
    failing required_check: statusCheckRollup: `test` is not reported and never will be: the head commit says `[skip ci]`
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    No CI reports on the head. The caller may merge past the rules as an administrator.
    ");
    let Some(shell) = Shell::new(&world, "octo") else {
        return;
    };
    scene.follow("required_check", &shell);
    insta::assert_snapshot!(scene.outline(), @"
    ready: false (approvals_met no_conflicts up_to_date)
    failing required_check: statusCheckRollup: `test` is not reported; its workflow should have run
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    No CI reports on the head. The caller may merge past the rules as an administrator.
    ");
}

#[test]
fn a_run_that_waits_is_allowed() {
    let world = World::start();
    let scene = scene(&world);
    scene.run(&[]).end_without_jobs("action_required");
    insta::assert_snapshot!(scene.outline(), @"
    ready: false (approvals_met no_conflicts up_to_date)
    failing required_check: statusCheckRollup: `test` is not reported; run 1 waits: action_required
    failing ci: run 1 waits: action_required
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    No CI reports on the head. The caller may merge past the rules as an administrator.
    ");
    let Some(shell) = Shell::new(&world, "octo") else {
        return;
    };
    let commands = commands(&scene.ask(), "required_check");
    insta::assert_snapshot!(commands.join("\n"), @"gh api --method POST repos/octo/demo/actions/runs/1/approve");
    let output = shell.run(&commands[0]);
    // The forge has no jobs of its own that it could start for it.
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    insta::assert_snapshot!(said.trim(), @r#"{"message":"This run is not waiting for approval","documentation_url":"https://docs.github.com/rest","status":"403"}"#);
}

#[test]
fn two_hundred_required_checks_fit() {
    let world = World::start();
    let scene = Scene::new(&world);
    let names: Vec<String> = (0..200)
        .map(|number| format!("check {number:03}"))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    world.require_checks("main", &names);
    let answer = scene.ask();
    assert_eq!(entries(&answer).len(), 33);
    insta::assert_snapshot!(answer["message"].as_str().unwrap(), @"200 things stand in the way; the first 30 are shown. No CI reports on the head. The caller may merge past the rules as an administrator.");
    let run = scene.run(&names);
    run.pass();
    let answer = scene.ask();
    assert_eq!(
        (&answer["ready_to_merge"], entries(&answer).len()),
        (&json!(true), 4)
    );
    assert!(answer.to_string().len() < 30_000);
}
