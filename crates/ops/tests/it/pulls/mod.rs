//! The pull-request tools, asked about a local forge over real HTTP.

mod commenting;
mod conflict_steps;
mod diff_and_log;
mod discussion;
mod failing_tests;
mod histories;
mod impact;
mod land_stack;
mod large;
mod list_pull_requests;
mod lockdown;
mod merge_conflicts;
mod parallel;
mod plan_merges;
mod printed;
mod readiness;
mod refusals;
mod resolve_thread;
mod restack;
mod shell;
mod stacked_prs;
mod unresolved_comments;
mod update_and_rerun;
mod withheld;
mod world;

use baton_testkit::world::World;
use serde_json::json;

use world::ToolCaller;

#[test]
fn what_no_one_asked_for_is_named() {
    let world = World::start();
    let caller = ToolCaller::new(&world);
    let answer = caller.error("detect_merge_conflicts", &json!({ "pull": 1 }));
    insta::assert_snapshot!(answer, @r#"
    {
      "error": "Invalid input: /pr: missing required parameter 'pr'; /pull: unknown key \"pull\"; known keys are pr, target_branch, other_pull_requests",
      "category": "user",
      "details": {
        "problems": [
          {
            "path": "/pr",
            "message": "missing required parameter 'pr'"
          },
          {
            "path": "/pull",
            "message": "unknown key \"pull\"; known keys are pr, target_branch, other_pull_requests"
          }
        ]
      }
    }
    "#);
}
