use serde_json::{Value, json};

use super::receiver::{Delivery, Receiver};
use super::{hooked, open_issue, world_with_receivers};

/// Kind, action and the names of the fields.
fn outline(delivery: &Delivery) -> String {
    let body = delivery.json();
    let action = body.get("action").and_then(Value::as_str).unwrap_or("-");
    let fields: Vec<&String> = body.as_object().unwrap().keys().collect();
    format!("{} {action} {fields:?}", delivery.event())
}

#[test]
fn what_happens_to_issues_is_told() {
    let world = world_with_receivers();
    let receiver = Receiver::start();
    hooked(&world, &receiver);
    let octo = world.client("octo");
    open_issue(&world, "It rains");
    let issue = "/repos/octo/demo/issues/1";
    octo.patch(issue, &json!({ "title": "It pours" }))
        .expect(200);
    octo.post(&format!("{issue}/labels"), &json!({ "labels": ["bug"] }))
        .expect(200);
    octo.patch(issue, &json!({ "assignees": ["octo"] }))
        .expect(200);
    let comment = octo
        .post(&format!("{issue}/comments"), &json!({ "body": "Indeed" }))
        .expect(201)
        .json();
    let comment = format!("/repos/octo/demo/issues/comments/{}", comment["id"]);
    octo.patch(&comment, &json!({ "body": "It does" }))
        .expect(200);
    octo.patch(issue, &json!({ "state": "closed" })).expect(200);
    let told: Vec<Delivery> = (0..7).map(|_| receiver.next()).collect();
    let outlines: Vec<String> = told.iter().map(outline).collect();
    insta::assert_snapshot!(outlines.join("\n"), @r#"
    issues opened ["action", "issue", "repository", "sender"]
    issues edited ["action", "changes", "issue", "repository", "sender"]
    issues labeled ["action", "issue", "label", "repository", "sender"]
    issues assigned ["action", "issue", "assignee", "repository", "sender"]
    issue_comment created ["action", "issue", "comment", "repository", "sender"]
    issue_comment edited ["action", "changes", "issue", "comment", "repository", "sender"]
    issues closed ["action", "issue", "repository", "sender"]
    "#);
    assert_eq!(told[1].json()["changes"]["title"]["from"], "It rains");
    assert_eq!(told[2].json()["label"]["name"], "bug");
    assert_eq!(told[3].json()["assignee"]["login"], "octo");
    assert_eq!(told[5].json()["comment"]["body"], "It does");
    for delivery in &told {
        assert_eq!(delivery.json()["repository"]["full_name"], "octo/demo");
        assert_eq!(delivery.json()["sender"]["login"], "octo");
    }
}

#[test]
fn what_is_pushed_is_told() {
    let world = world_with_receivers();
    let receiver = Receiver::start();
    hooked(&world, &receiver);
    let repo = world.checkout();
    assert_eq!(receiver.next().event(), "create");
    let push = receiver.next_of("push").json();
    assert_eq!(push["ref"], "refs/heads/main");
    assert_eq!(push["created"], true);
    assert_eq!(push["commits"][0]["added"], json!(["README.md"]));
    assert_eq!(push["head_commit"]["message"], "Begin");

    repo.git(&["checkout", "--quiet", "-b", "rain"]);
    repo.commit_file("rain.txt", "drops\n", "Let it rain");
    repo.git(&["push", "--quiet", "origin", "rain"]);
    let create = receiver.next_of("create").json();
    assert_eq!(create["ref"], "rain");
    assert_eq!(create["ref_type"], "branch");
    let push = receiver.next_of("push").json();
    // What the default branch has already is not told again.
    assert_eq!(push["commits"].as_array().unwrap().len(), 1);
    assert_eq!(push["commits"][0]["added"], json!(["rain.txt"]));
    assert_eq!(push["pusher"]["name"], "octo");
    assert!(push["repository"]["created_at"].is_i64());

    repo.git(&["push", "--quiet", "origin", "--delete", "rain"]);
    let push = receiver.next_of("push").json();
    assert_eq!(push["deleted"], true);
    assert_eq!(push["commits"], json!([]));
    let delete = receiver.next_of("delete").json();
    assert_eq!(delete["ref"], "rain");
}

#[test]
fn checks_are_told() {
    let world = world_with_receivers();
    let receiver = Receiver::start();
    let repo = world.checkout();
    hooked(&world, &receiver);
    let sha = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let status = json!({ "state": "success", "context": "ci/lint" });
    world
        .client("ci-bot")
        .post(&format!("/repos/octo/demo/statuses/{sha}"), &status)
        .expect(201);
    let told = receiver.next_of("status").json();
    assert_eq!(told["state"], "success");
    assert_eq!(told["sha"], sha.as_str());
    assert_eq!(told["sender"]["login"], "ci-bot");
    let run =
        json!({ "name": "unit", "head_sha": sha, "status": "completed", "conclusion": "failure" });
    world
        .client("ci-bot")
        .post("/repos/octo/demo/check-runs", &run)
        .expect(201);
    let told = receiver.next_of("check_run").json();
    assert_eq!(told["check_run"]["name"], "unit");
    let told = receiver.next_of("check_suite").json();
    assert_eq!(told["check_suite"]["head_sha"], sha.as_str());
}

#[test]
fn pull_requests_and_reviews_are_told() {
    let world = world_with_receivers();
    let receiver = Receiver::start();
    let repo = world.checkout();
    repo.git(&["checkout", "--quiet", "-b", "rain"]);
    repo.commit_file("rain.txt", "drops\n", "Let it rain");
    repo.git(&["push", "--quiet", "origin", "rain"]);
    hooked(&world, &receiver);
    let (octo, reviewer) = (world.client("octo"), world.client("reviewer"));
    let pull = json!({ "title": "Rain", "head": "rain", "base": "main" });
    octo.post("/repos/octo/demo/pulls", &pull).expect(201);
    let pull = "/repos/octo/demo/pulls/1";
    let ask = json!({ "reviewers": ["reviewer"] });
    octo.post(&format!("{pull}/requested_reviewers"), &ask)
        .expect(201);
    let review = json!({
        "event": "REQUEST_CHANGES", "body": "Too wet",
        "comments": [{ "path": "rain.txt", "line": 1, "side": "RIGHT", "body": "Fewer drops" }],
    });
    reviewer
        .post(&format!("{pull}/reviews"), &review)
        .expect(200);
    repo.commit_file("rain.txt", "drop\n", "Let it drizzle");
    repo.git(&["push", "--quiet", "origin", "rain"]);
    octo.put(&format!("{pull}/merge"), &json!({})).expect(200);

    let mut told = Vec::new();
    while !told
        .iter()
        .any(|told: &Delivery| told.event() == "pull_request" && told.json()["action"] == "closed")
    {
        told.push(receiver.next());
    }
    let outlines: Vec<String> = told
        .iter()
        .filter(|told| told.event().starts_with("pull_request"))
        .map(outline)
        .collect();
    insta::assert_snapshot!(outlines.join("\n"), @r#"
    pull_request opened ["action", "number", "pull_request", "repository", "sender"]
    pull_request review_requested ["action", "number", "pull_request", "requested_reviewer", "repository", "sender"]
    pull_request_review submitted ["action", "review", "pull_request", "repository", "sender"]
    pull_request_review_comment created ["action", "comment", "pull_request", "repository", "sender"]
    pull_request synchronize ["action", "number", "pull_request", "before", "after", "repository", "sender"]
    pull_request closed ["action", "number", "pull_request", "repository", "sender"]
    "#);
    let of = |kind: &str, action: &str| {
        let mut all = told.iter();
        let found = all.find(|one| one.event() == kind && one.json()["action"] == action);
        found.unwrap().json()
    };
    let asked = of("pull_request", "review_requested");
    assert_eq!(asked["requested_reviewer"]["login"], "reviewer");
    let submitted = of("pull_request_review", "submitted");
    assert_eq!(submitted["review"]["state"], "changes_requested");
    assert_eq!(submitted["sender"]["login"], "reviewer");
    let comment = of("pull_request_review_comment", "created");
    assert_eq!(comment["comment"]["body"], "Fewer drops");
    assert_eq!(comment["pull_request"]["number"], 1);
    let moved = of("pull_request", "synchronize");
    assert_eq!(moved["after"], moved["pull_request"]["head"]["sha"]);
}

#[test]
fn a_pull_request_that_joins_a_stack_is_told_with_its_place() {
    let world = world_with_receivers();
    let receiver = Receiver::start();
    let repo = world.checkout();
    let octo = world.client("octo");
    for (head, base) in [("one", "main"), ("two", "one")] {
        repo.git(&["checkout", "--quiet", "-b", head]);
        repo.commit_file(head, "new\n", head);
        repo.git(&["push", "--quiet", "origin", head]);
        let body = json!({ "title": head, "head": head, "base": base });
        octo.post("/repos/octo/demo/pulls", &body).expect(201);
    }
    hooked(&world, &receiver);
    let body = json!({ "pull_requests": [1, 2] });
    octo.post("/repos/octo/demo/stacks", &body).expect(201);
    for position in [1, 2] {
        let told = receiver.next_of("pull_request").json();
        assert_eq!(told["action"], "stacked");
        assert_eq!(told["stack"]["position"], position);
        assert_eq!(told["stack"]["base"]["ref"], "main");
        assert_eq!(told["pull_request"]["stack"], told["stack"]);
    }
}
