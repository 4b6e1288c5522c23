//! A check that is required and that nothing reports.

use super::*;

fn scene(world: &World) -> Scene<'_> {
    let scene = Scene::new(world);
    world.require_checks("main", &["test", "never-runs"]);
    scene
}

#[test]
fn it_is_named_and_not_waited_for() {
    let world = World::start();
    let scene = scene(&world);
    scene.run(&["test"]).pass();
    let answer = scene.ask_with(&json!({ "wait": true, "bail_on_first": false }));
    insta::assert_snapshot!(scene.caller.shown(&answer), @r#"
    {
      "pr": "octo/demo#1",
      "status": "failed",
      "message": "Required check never reported: `never-runs`",
      "ci_info": {
        "workflow_name": "CI",
        "run_id": 1,
        "started_at": "2026-01-31T12:00:00Z",
        "completed_at": "2026-01-31T12:01:30Z",
        "duration_seconds": 90
      },
      "failures": [
        {
          "check_name": "never-runs",
          "test_name": "never-runs",
          "error_message": "The check is required, and nothing has reported it.",
          "log_url": "http://forge/octo/demo/pull/1/checks",
          "confidence": "low",
          "required": true,
          "source": "check",
          "verdict": "not_run",
          "evidence": "`main` requires it, and nothing has reported it for 2250ffb"
        }
      ],
      "instructions": {
        "summary": "Required check never reported: `never-runs`",
        "priority": [
          {
            "test": "never-runs",
            "reason": "`main` requires it, and nothing has reported it for 2250ffb; `never-runs` has to pass before the merge.",
            "suggested_fix": "See what asks for it, and whether anything can report it: baton pr check-merge-readiness 'octo/demo#1'"
          }
        ],
        "commands": []
      }
    }
    "#);
}

#[test]
fn it_may_come_a_moment_later() {
    let world = World::start();
    let scene = scene(&world);
    world.status(&scene.head, "test", "success", "fine");
    let answer = scene.ask();
    insta::assert_snapshot!(outline(&answer), @"running: Nothing has failed so far; 1 check is still to end");
    insta::assert_snapshot!(answer["message"].as_str().unwrap(), @"Required check not reported so far: `never-runs`");
    insta::assert_snapshot!(answer["poll_info"]["message"].as_str().unwrap(), @"CI is still running (1 of 2 checks ended); check back in 30s");
}

#[test]
fn no_caller_waits_long_for_ci_that_never_says_anything() {
    let world = World::start();
    let scene = scene(&world);
    let answer = scene.ask_with(&json!({ "wait": true }));
    assert_eq!(answer["status"], "pending");
    insta::assert_snapshot!(answer["instructions"]["summary"].as_str().unwrap(), @"CI has not started");
    insta::assert_snapshot!(answer["message"].as_str().unwrap(), @"Required checks not reported so far: `never-runs`, `test`");
}

#[test]
fn a_merged_pull_request_waits_for_nothing() {
    let world = World::start();
    let scene = Scene::new(&world);
    world.status(&scene.head, "test", "success", "fine");
    world.wait_for("the forge's own answer", || {
        let pull = world.client("octo").get("/repos/octo/demo/pulls/1");
        pull.expect(200).json()["mergeable"].as_bool()
    });
    let path = "/repos/octo/demo/pulls/1/merge";
    world.client("octo").put(path, &json!({})).expect(200);
    world.require_checks("main", &["test", "never-runs"]);
    let answer = scene.ask_with(&json!({ "wait": true, "bail_on_first": false }));
    assert!(answer["poll_info"].is_null());
    insta::assert_snapshot!(outline(&answer), @"
    failed: Required check never reported: `never-runs`
    never-runs | never-runs | The check is required, and nothing has reported it. | check low | null
    ");
}
