//! A pull request that is large in every way at once: each tool answers in one
//! call, within the size of an answer over MCP.

use baton_testkit::world::{JobEnd, World};
use serde_json::{Value, json};

use super::world::ToolCaller;

const MAX_ANSWER_BYTES: usize = 60_000;
const FILES: usize = 300;
const COMMENTS: usize = 500;
const CHECKS: usize = 200;

#[test]
fn every_tool_answers_in_one_call() {
    let world = World::start();
    open(&world);
    let caller = ToolCaller::new(&world);
    let mut shown = Vec::new();
    for tool in [
        "get_failing_tests",
        "find_unresolved_comments",
        "detect_merge_conflicts",
        "check_merge_readiness",
        "analyze_pr_impact",
        "get_review_suggestions",
    ] {
        let before = caller.spent();
        let answer = caller.ask(tool, &json!({ "pr": "octo/demo#1" }));
        let size = answer.to_string().len();
        assert!(size < MAX_ANSWER_BYTES, "{tool}: {size} bytes");
        let after = caller.spent();
        shown.push(format!(
            "{tool}: {} requests, {} points: {}",
            after.requests - before.requests,
            after.points - before.points,
            telling(tool, &answer)
        ));
    }
    insta::assert_snapshot!(shown.join("\n"), @r#"
    get_failing_tests: 6 requests, 3 points: "1 test failed in tests/test_a.py (CI / part 000)"
    find_unresolved_comments: 10 requests, 30 points: 500
    detect_merge_conflicts: 2 requests, 0 points: false
    check_merge_readiness: 6 requests, 3 points: false
    analyze_pr_impact: 5 requests, 7 points: {"files_changed":301,"additions":12001,"deletions":0,"commits":1}
    get_review_suggestions: 4 requests, 4 points: 181
    "#);
}

/// The part of an answer that shows that all was seen.
fn telling(tool: &str, answer: &Value) -> Value {
    match tool {
        "get_failing_tests" => answer["instructions"]["summary"].clone(),
        "find_unresolved_comments" => answer["total_unresolved"].clone(),
        "detect_merge_conflicts" => answer["has_conflicts"].clone(),
        "check_merge_readiness" => answer["ready_to_merge"].clone(),
        "analyze_pr_impact" => answer["changes"].clone(),
        _ => answer["more_files"].clone(),
    }
}

fn open(world: &World) {
    let repo = world.checkout();
    repo.branch("large");
    for file in 0..FILES {
        let line = format!("value = {file}\n");
        repo.write(format!("src/part_{file:03}.py"), line.repeat(40));
    }
    let head = repo.commit_file("src/main.py", "import part_000\n", "Write it all");
    world.push(&repo, "large");
    assert_eq!(world.open_pull("Write it all", "large", "main"), 1);
    comment(world, &head);
    let names: Vec<_> = (0..CHECKS).map(|n| format!("part {n:03}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let run = world.start_run("CI", &head, &names);
    for name in &names[1..] {
        run.end(name, &JobEnd::success());
    }
    let line = "the quick brown fox jumps over the lazy dog ".repeat(20) + "\n";
    let mut log = line.repeat((50 << 20) / line.len());
    log += "=========================== short test summary info ============================\n\
            FAILED tests/test_a.py::test_b - AssertionError: assert 1 == 2\n\
            ========================= 1 failed, 9 passed in 0.12s ==========================\n";
    let failed = JobEnd::failure().set_up().failed_command("pytest", log, 1);
    run.end(names[0], &failed);
}

/// Ten reviews, so that there is more than one page of them as well.
fn comment(world: &World, head: &str) {
    for review in 0..10 {
        let comments: Vec<_> = (0..COMMENTS / 10)
            .map(|n| {
                let number = review * COMMENTS / 10 + n;
                let path = format!("src/part_{:03}.py", number % FILES);
                let body = format!("Comment {number}: {}", "why is that so? ".repeat(10));
                json!({ "path": path, "line": n % 40 + 1, "body": body })
            })
            .collect();
        let review = json!({ "event": "COMMENT", "comments": comments, "commit_id": head });
        let path = "/repos/octo/demo/pulls/1/reviews";
        world.client("reviewer").post(path, &review).expect(200);
    }
}
