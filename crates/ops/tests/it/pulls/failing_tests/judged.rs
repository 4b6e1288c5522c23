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
    insta::assert_snapshot!(verdicts(&answer), @"
    eslint: eqeqeq: introduced: `CI / lint` passed on main at 3a0b072
    eslint: no-debugger: introduced: `CI / lint` passed on main at 3a0b072
    eslint: no-unused-vars: introduced: `CI / lint` passed on main at 3a0b072
    eslint: no-unused-vars: introduced: `CI / lint` passed on main at 3a0b072
    eslint: parsing-error: introduced: `CI / lint` passed on main at 3a0b072
    Run make: -: -
    tests/test_a.py::test_new: introduced: `CI / test` fails on main at 3a0b072 too, but not in this test
    tests/test_a.py::test_old: pre_existing: the same test fails in `CI / test` on main at 3a0b072
    ");
    insta::assert_snapshot!(serde_json::to_string_pretty(&answer["instructions"]).unwrap(), @r#"
    {
      "summary": "2 tests failed in tests/test_a.py (CI / test); 5 errors outside of tests in /home/dev/app/src (CI / lint); 1 check failed without naming a test; 1 of 8 on the base branch as well",
      "priority": [
        {
          "test": "eslint: eqeqeq",
          "reason": "`CI / lint` passed on main at 3a0b072."
        },
        {
          "test": "eslint: no-debugger",
          "reason": "`CI / lint` passed on main at 3a0b072."
        },
        {
          "test": "eslint: no-unused-vars",
          "reason": "`CI / lint` passed on main at 3a0b072."
        },
        {
          "test": "eslint: no-unused-vars",
          "reason": "`CI / lint` passed on main at 3a0b072."
        },
        {
          "test": "eslint: parsing-error",
          "reason": "`CI / lint` passed on main at 3a0b072."
        }
      ],
      "commands": [
        "npx eslint .",
        "pytest tests/test_a.py::test_new",
        "pytest tests/test_a.py::test_old"
      ]
    }
    "#);
}

#[test]
fn what_the_merge_base_had_is_not_this_pull_requests_doing() {
    let world = World::start();
    let scene = Scene::new(&world);
    let old = pytest(&["tests/test_a.py::test_old"]);
    let main = scene.run_on_main(&["test"]);
    main.end("test", &failed_with("pytest", &old));
    scene.repo.checkout("main");
    scene.repo.commit_file("fix.py", "", "Mend the old test");
    world.push(&scene.repo, "main");
    scene.run_on_main(&["test"]).pass();
    scene
        .run(&["test"])
        .end("test", &failed_with("pytest", &old));
    insta::assert_snapshot!(verdicts(&scene.ask()), @"tests/test_a.py::test_old: pre_existing: the same test fails in `CI / test` at the merge base 3a0b072; main is past it, so update the pull request");
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
    insta::assert_snapshot!(verdicts(&answer), @"tests/test_a.py::test_b: flaky: an earlier attempt of `CI / test` passed on the same commit 2250ffb");
    let fix = answer["instructions"]["priority"][0]["suggested_fix"].as_str();
    insta::assert_snapshot!(fix.unwrap(), @"Run it again: gh run rerun 1 --failed --repo octo/demo");
    let (_, command) = fix.unwrap().split_once(": ").unwrap();
    if printed::run(&world, command).is_some() {
        let run = world.client("octo").get("/repos/octo/demo/actions/runs/1");
        assert_eq!(run.expect(200).json()["run_attempt"], 3);
    }
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
    insta::assert_snapshot!(verdicts(&scene.ask()), @"
    Broken: ci_configuration: the workflow has no job that could be started; its file is probably invalid
    action: ci_configuration: the runner said: Unable to resolve action `octo/gone@v1`, not found
    lost: infrastructure: the runner said: The hosted runner lost communication with the server.
    set-up: infrastructure: the step `Run actions/setup-node@v4` of `CI / set-up` failed before any test
    stopped: not_run: it was cancelled
    ");
}

#[test]
fn a_strangers_run_waits_for_approval() {
    let world = World::start();
    world.enable_pushed_checks();
    let repo = world.checkout();
    let guest = world.client("guest");
    guest.post("/repos/octo/demo/forks", &json!({})).expect(202);
    repo.branch("feature");
    repo.write(
        ".baton/forge-checks.toml",
        "name = 'CI'\n[[jobs]]\nname = 'test'\ncommand = 'true'\n",
    );
    let head = repo.commit_file("feature.txt", "", "Add a feature");
    let url = world.git_url("guest", "guest/demo");
    repo.git(&["push", "--quiet", &url, "feature"]);
    let pull = json!({ "title": "A feature", "head": "guest:feature", "base": "main" });
    guest.post("/repos/octo/demo/pulls", &pull).expect(201);
    let runs = format!("/repos/octo/demo/actions/runs?head_sha={head}");
    let run = || world.client("octo").get(&runs).expect(200).json()["workflow_runs"][0].clone();
    world.wait_for("the run", || {
        (run()["conclusion"] == "action_required").then_some(())
    });
    let answer = ToolCaller::new(&world).ask(TOOL, &with_pr(&json!({ "reproduce": true })));
    insta::assert_snapshot!(verdicts(&answer), @"CI: not_run: it waits for someone to approve it or to act elsewhere");
    let fix = answer["instructions"]["priority"][0]["suggested_fix"].as_str();
    insta::assert_snapshot!(fix.unwrap(), @"Approve the run: gh api --method POST repos/octo/demo/actions/runs/1/approve");
    let (_, command) = fix.unwrap().split_once(": ").unwrap();
    if printed::run(&world, command).is_some() {
        world.wait_for("its end", || {
            (run()["conclusion"] == "success").then_some(())
        });
    }
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
    insta::assert_snapshot!(outline(&answer), @"
    failed: 2 tests failed in tests (2 checks)
    CI / unit | tests/test_b.py::test_b | AssertionError: assert 1 == 2 | log high | pytest tests/test_b.py::test_b
    CI / all | tests/test_a.py::test_a | AssertionError: assert 1 == 2 | log high | pytest tests/test_a.py::test_a
    ");
    insta::assert_snapshot!(answer["instructions"]["priority"][0]["reason"].as_str().unwrap(), @"`CI / unit` has to pass before the merge; 1 other test fails with the same error.");
}
