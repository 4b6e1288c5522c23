use super::*;

#[test]
fn no_ci_is_an_answer() {
    let world = World::start();
    let scene = Scene::new(&world);
    insta::assert_snapshot!(scene.shown(), @r#"
    {
      "pr": "octo/demo#1",
      "status": "unknown",
      "message": "No CI checks configured",
      "failures": [],
      "instructions": {
        "summary": "No CI checks configured",
        "priority": [],
        "commands": []
      }
    }
    "#);
}

#[test]
fn nothing_has_started() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.run(&["test", "lint"]);
    let mut answer = scene.ask();
    answer["ci_info"]["started_at"] = json!("(a moment ago)");
    insta::assert_snapshot!(scene.caller.shown(&answer), @r#"
    {
      "pr": "octo/demo#1",
      "status": "pending",
      "ci_info": {
        "workflow_name": "CI",
        "run_id": 1,
        "started_at": "(a moment ago)"
      },
      "failures": [],
      "instructions": {
        "summary": "CI has not started",
        "priority": [],
        "commands": []
      },
      "poll_info": {
        "message": "CI has not started (0 of 2 checks ended); check back in 30s",
        "retry_after_seconds": 30
      }
    }
    "#);
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
    insta::assert_snapshot!(outline(&answer), @"
    running: 1 test failed in tests/test_a.py (CI / test)
    CI / test | tests/test_a.py::test_b | AssertionError: assert 1 == 2 | log high | pytest tests/test_a.py::test_b
    ");
    insta::assert_snapshot!(answer["poll_info"]["message"].as_str().unwrap(), @"CI is still running (1 of 2 checks ended, 1 failed); check back in 30s");
    insta::assert_snapshot!(answer["message"].as_str().unwrap(), @"Something has failed already, though not everything has ended");
}

#[test]
fn everything_passed() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.run(&["test", "lint"]).pass();
    world.status(&scene.head, "legacy", "success", "fine");
    insta::assert_snapshot!(scene.shown(), @r#"
    {
      "pr": "octo/demo#1",
      "status": "passed",
      "ci_info": {
        "workflow_name": "CI",
        "run_id": 1,
        "started_at": "2026-01-31T12:00:00Z",
        "completed_at": "2026-01-31T12:01:30Z",
        "duration_seconds": 90
      },
      "failures": [],
      "instructions": {
        "summary": "All 3 checks passed",
        "priority": [],
        "commands": []
      }
    }
    "#);
}

#[test]
fn a_missing_pull_request_is_named() {
    let world = World::start();
    let caller = ToolCaller::new(&world);
    let error = caller.error(TOOL, &json!({ "pr": "octo/demo#7" }));
    insta::assert_snapshot!(error, @r#"
    {
      "error": "cannot read the checks of pull request octo/demo#7: it was not found",
      "category": "user",
      "suggestion": "Check the name or number of pull request octo/demo#7; the token may also lack the permission to see it."
    }
    "#);
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
    let answer = scene.caller.ask(TOOL, &json!({ "pr": pr }));
    assert_eq!(answer["pr"], pr);
    insta::assert_snapshot!(outline(&answer), @"
    failed: 1 test failed in tests/test_a.py (CI / test)
    CI / test | tests/test_a.py::test_b | AssertionError: assert 1 == 2 | log high | pytest tests/test_a.py::test_b
    ");
    let missing = format!("octo/demo@{}", "0".repeat(40));
    insta::assert_snapshot!(scene.caller.error(TOOL, &json!({ "pr": missing })), @r#"
    {
      "error": "cannot read the checks of commit 0000000000000000000000000000000000000000 of octo/demo: it was not found",
      "category": "user",
      "suggestion": "Check the name or number of commit 0000000000000000000000000000000000000000 of octo/demo; the token may also lack the permission to see it."
    }
    "#);
}

#[test]
fn the_branch_that_is_checked_out_has_a_pull_request() {
    let world = World::start();
    let mut scene = Scene::new(&world);
    let server = &mut scene.caller.server;
    server.here = Some(Repository::new("octo", "demo").unwrap());
    server.workplace.folder = Some(scene.repo.path().to_owned());
    let cx = scene.caller.context();
    let here = |subject| {
        let found = world.block_on(async { cx.pulls(&[]).await?.subject_here(subject).await });
        found.unwrap_or_else(|error| match error {
            OpError::Failed { response, .. } => {
                let hint = response.suggestion.unwrap_or_default();
                format!("{}\n{hint}", response.error)
            }
            other => panic!("{other:?}"),
        })
    };
    assert_eq!(here(Subject::PullRequest), "octo/demo#1");
    assert_eq!(here(Subject::PullRequestOrCommit), "octo/demo#1");

    scene.repo.branch("other");
    insta::assert_snapshot!(here(Subject::PullRequest), @"
    octo/demo has no open pull request from the branch `other`
    Open one with `baton pr create`, or name one as 'owner/repo#12'.
    ");
    insta::assert_snapshot!(here(Subject::PullRequestOrCommit), @"
    the branch `other` has no open pull request, and octo/demo does not know it
    Push it so that CI can see it, or name a pull request as 'owner/repo#12' or a commit as 'owner/repo@' and its full id.
    ");
    let other = scene
        .repo
        .commit_file("other.py", "", "Begin something else");
    world.push(&scene.repo, "other");
    assert_eq!(
        here(Subject::PullRequestOrCommit),
        format!("octo/demo@{other}")
    );
    scene.repo.git(&["checkout", "--quiet", "--detach"]);
    insta::assert_snapshot!(here(Subject::PullRequestOrCommit), @"
    no pull request was named, and there is no branch of its repository here
    Name one as 'owner/repo#12' or a commit as 'owner/repo@' and its full id, or run inside a checkout with a branch checked out.
    ");
}

#[test]
fn a_commit_has_to_be_named_in_full() {
    let world = World::start();
    let mut caller = ToolCaller::new(&world);
    let full = "1a2b3c4d".repeat(5);
    let mut told = String::new();
    for text in ["octo/demo@1234567", "1a2b3c4", full.as_str(), "octo@demo"] {
        told += &caller.error(TOOL, &json!({ "pr": text }));
        told += "\n";
    }
    insta::assert_snapshot!(told, @r#"
    {
      "error": "'1234567' is only the beginning of a commit's id",
      "category": "user",
      "suggestion": "Write all 40 digits, as in 'owner/repo@SHA'; `git rev-parse 1234567` prints them in a checkout."
    }
    {
      "error": "'1a2b3c4' is only the beginning of a commit's id",
      "category": "user",
      "suggestion": "Write all 40 digits, as in 'owner/repo@SHA'; `git rev-parse 1a2b3c4` prints them in a checkout."
    }
    {
      "error": "'1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d' is a commit without a repository",
      "category": "user",
      "suggestion": "Run inside a checkout, or write 'owner/repo@1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d'."
    }
    {
      "error": "'octo@demo' is no reference to a pull request; write 'owner/repo#12', 'owner/repo/pull/12' or the pull request's URL",
      "category": "user",
      "suggestion": "A commit is named by 'owner/repo@' and its full id."
    }
    "#);
    // A number is one of a pull request.
    caller.server.here = Some(Repository::new("octo", "demo").unwrap());
    let error = caller.error(TOOL, &json!({ "pr": "1234567" }));
    assert!(error.contains("pull request octo/demo#1234567"), "{error}");
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
    insta::assert_snapshot!(outline(&scene.ask()), @"
    failed: 1 test failed in tests/test_a.py (CI / test)
    CI / test | tests/test_a.py::test_b | AssertionError: assert 1 == 2 | log high | pytest tests/test_a.py::test_b
    ");
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
    insta::assert_snapshot!(scene.shown(), @r#"
    {
      "pr": "octo/demo#1",
      "status": "failed",
      "ci_info": {
        "workflow_name": "CI",
        "run_id": 2,
        "started_at": "2026-01-31T12:00:00Z",
        "completed_at": "2026-01-31T12:01:30Z",
        "duration_seconds": 90
      },
      "failures": [
        {
          "check_name": "CI / test",
          "test_name": "tests/test_a.py::test_b",
          "error_message": "AssertionError: assert 1 == 2",
          "log_url": "http://forge/octo/demo/actions/runs/2/job/2",
          "file_path": "tests/test_a.py",
          "confidence": "high",
          "required": true,
          "source": "log",
          "verdict": "introduced",
          "evidence": "`CI / test` passed on main at 3a0b072",
          "command": "pytest tests/test_a.py::test_b"
        },
        {
          "check_name": "legacy",
          "test_name": "legacy",
          "error_message": "3 problems",
          "log_url": "https://ci.example.invalid/legacy",
          "confidence": "low",
          "required": false,
          "source": "check"
        }
      ],
      "instructions": {
        "summary": "1 test failed in tests/test_a.py (CI / test); 1 check failed without naming a test",
        "priority": [
          {
            "test": "tests/test_a.py::test_b",
            "reason": "`CI / test` passed on main at 3a0b072; `CI / test` has to pass before the merge."
          },
          {
            "test": "legacy",
            "reason": "It fails by itself, so it can be fixed by itself."
          }
        ],
        "commands": [
          "pytest tests/test_a.py::test_b"
        ]
      }
    }
    "#);
}
