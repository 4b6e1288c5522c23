//! A merge queue whose checks the forge executes itself.

use serde_json::{Value, json};

use super::eventually;
use super::runner::{RUNS, world_with_command};
use crate::world::{Client, World};

fn start_queue(client: &Client) {
    let body = json!({
        "name": "queue",
        "enforcement": "active",
        "conditions": { "ref_name": { "include": ["~DEFAULT_BRANCH"], "exclude": [] } },
        "rules": [
            { "type": "merge_queue", "parameters": {
                "check_response_timeout_minutes": 60,
                "grouping_strategy": "ALLGREEN",
                "max_entries_to_build": 5,
                "max_entries_to_merge": 5,
                "merge_method": "SQUASH",
                "min_entries_to_merge": 1,
                "min_entries_to_merge_wait_minutes": 5,
            } },
            { "type": "required_status_checks", "parameters": {
                "strict_required_status_checks_policy": false,
                "required_status_checks": [{ "context": "check" }],
            } },
        ],
    });
    client.post("/repos/octo/demo/rulesets", &body).expect(201);
}

fn open(world: &World, client: &Client, branch: &str) -> Value {
    let repo = world.sandbox.repo(branch);
    let url = world.git_url("octo", "octo/demo");
    repo.git(&["pull", "--quiet", &url, "main"]);
    repo.git(&["checkout", "--quiet", "-b", branch]);
    let sha = repo.commit_file(&format!("{branch}.txt"), "", "Add a file");
    repo.git(&["push", "--quiet", &url, branch]);
    let checks = format!("/repos/octo/demo/commits/{sha}/check-runs");
    eventually("the checks of the branch", || {
        let run = client.get(&checks).expect(200).json()["check_runs"][0].clone();
        (run["conclusion"] == "success").then_some(())
    });
    let body = json!({ "title": branch, "head": branch, "base": "main" });
    client
        .post("/repos/octo/demo/pulls", &body)
        .expect(201)
        .json()
}

fn enqueue(client: &Client, pull: &Value) {
    let query = "mutation($id: ID!) {
        enqueuePullRequest(input: { pullRequestId: $id }) { mergeQueueEntry { position } }
    }";
    let body = json!({ "query": query, "variables": { "id": pull["node_id"] } });
    let answer = client.post("/graphql", &body).expect(200).json();
    assert_eq!(answer["errors"], Value::Null, "{answer}");
}

#[test]
fn what_only_fails_together_does_not_get_in() {
    let world = world_with_command("if [ -e one.txt ] && [ -e two.txt ]; then exit 1; fi");
    world.checkout();
    let client = world.client("octo");
    start_queue(&client);
    let first = open(&world, &client, "one");
    let second = open(&world, &client, "two");
    enqueue(&client, &first);
    enqueue(&client, &second);
    let pull = |pull: &Value| {
        let path = format!("/repos/octo/demo/pulls/{}", pull["number"]);
        client.get(&path).expect(200).json()
    };
    eventually("the merge of the first", || {
        (pull(&first)["merged"] == true).then_some(())
    });
    let failed = eventually("the failure of the second", || {
        let runs = client.get(&format!("{RUNS}?event=merge_group&status=failure"));
        let runs = runs.expect(200).json();
        (runs["total_count"] != 0).then(|| runs["workflow_runs"][0].clone())
    });
    let branch = failed["head_branch"].as_str().unwrap();
    assert!(
        branch.starts_with("gh-readonly-queue/main/pr-2-"),
        "{branch}"
    );
    eventually("an empty queue", || {
        let refs = client.get("/repos/octo/demo/git/matching-refs/heads/gh-readonly-queue/");
        (refs.expect(200).json() == json!([])).then_some(())
    });
    assert_eq!(pull(&second)["merged"], false);
    assert_eq!(pull(&second)["state"], "open");
}
