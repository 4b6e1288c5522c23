//! What is done to pull requests.

use baton_forge::Role;
use serde_json::{Value, json};

use super::{of, open_issue, open_pull, repository_id, text, two_branches, user_id};
use crate::world::World;

#[test]
fn a_pull_request_is_opened_and_changed() {
    let world = World::start();
    let repo = two_branches(&world);
    let octo = world.client("octo");
    open_issue(&octo, "Broken");
    let input = json!({
        "repositoryId": repository_id(&octo),
        "baseRefName": "main",
        "headRefName": "feature",
        "title": "Change something",
        "body": "Fixes #1",
        "draft": true,
    });
    let look = "pullRequest { id number isDraft state headRefOid baseRefOid additions deletions changedFiles
        commits { totalCount } closingIssuesReferences(first: 9) { nodes { number } }
        author { __typename login ... on User { name } } headRepository { nameWithOwner } headRepositoryOwner { id login } }";
    let pull = octo.mutate("createPullRequest", look, &input)["pullRequest"].take();
    assert_eq!(
        (&pull["number"], &pull["isDraft"]),
        (&json!(2), &json!(true))
    );
    assert_eq!(pull["headRefOid"], json!(repo.head()));
    assert_eq!(
        (
            &pull["additions"],
            &pull["deletions"],
            &pull["changedFiles"]
        ),
        (&json!(3), &json!(0), &json!(1))
    );
    assert_eq!(pull["commits"]["totalCount"], 1);
    assert_eq!(
        pull["closingIssuesReferences"]["nodes"],
        json!([{ "number": 1 }])
    );
    assert_eq!(pull["headRepository"]["nameWithOwner"], "octo/demo");
    let id = text(&pull["id"]);
    insta::assert_snapshot!(
        octo.refused("createPullRequest", &input),
        @"UNPROCESSABLE: A pull request already exists for octo:feature."
    );

    let look = "pullRequest { isDraft }";
    let named = json!({ "pullRequestId": id });
    let ready = octo.mutate("markPullRequestReadyForReview", look, &named);
    assert_eq!(ready["pullRequest"]["isDraft"], false);
    let draft = octo.mutate("convertPullRequestToDraft", look, &named);
    assert_eq!(draft["pullRequest"]["isDraft"], true);

    let labels = "{ repository(owner: \"octo\", name: \"demo\") { label(name: \"bug\") { id } } }";
    let label = octo.data(labels, &json!({}))["repository"]["label"]["id"].take();
    let input = json!({
        "pullRequestId": id, "title": "New", "body": "Text", "labelIds": [label],
        "assigneeIds": [user_id(&octo, "octo")], "maintainerCanModify": false,
    });
    octo.mutate(
        "updatePullRequest",
        "actor { login } pullRequest { title }",
        &input,
    );
    let look = "title body labels(first: 9) { nodes { name } } assignees(first: 9) { nodes { login } } state closed";
    let pull = of(&octo, &id, "PullRequest", look);
    assert_eq!(
        (&pull["title"], &pull["body"]),
        (&json!("New"), &json!("Text"))
    );
    assert_eq!(pull["labels"]["nodes"], json!([{ "name": "bug" }]));
    assert_eq!(pull["assignees"]["nodes"], json!([{ "login": "octo" }]));
    octo.mutate("closePullRequest", "clientMutationId", &named);
    let pull = of(&octo, &id, "PullRequest", look);
    assert_eq!(
        (&pull["state"], &pull["closed"]),
        (&json!("CLOSED"), &json!(true))
    );
    octo.mutate("reopenPullRequest", "clientMutationId", &named);
    assert_eq!(of(&octo, &id, "PullRequest", look)["state"], "OPEN");
}

#[test]
fn reviews_are_asked_for() {
    let mut world = World::start();
    world.add_user("second");
    let second = world
        .app()
        .set_collaborator("octo", "demo", "second", Role::Write);
    world.run(second).unwrap();
    let _repo = two_branches(&world);
    let octo = world.client("octo");
    let id = open_pull(&octo);
    let ask = |login: &str, union: bool| {
        let input =
            json!({ "pullRequestId": id, "userIds": [user_id(&octo, login)], "union": union });
        let look = "pullRequest { reviewRequests(first: 9) { nodes { asCodeOwner requestedReviewer { __typename ... on User { login } } } } }
            requestedReviewersEdge { node { login } }";
        octo.mutate("requestReviews", look, &input)
    };
    let logins = |answer: &Value| -> Vec<String> {
        let nodes = answer["pullRequest"]["reviewRequests"]["nodes"]
            .as_array()
            .unwrap()
            .clone();
        nodes
            .iter()
            .map(|node| text(&node["requestedReviewer"]["login"]))
            .collect()
    };
    assert_eq!(logins(&ask("reviewer", true)), ["reviewer"]);
    let both = ask("second", true);
    assert_eq!(logins(&both), ["reviewer", "second"]);
    assert_eq!(both["requestedReviewersEdge"]["node"]["login"], "second");
    assert_eq!(logins(&ask("second", false)), ["second"]);
}

#[test]
fn a_branch_catches_up_with_its_base() {
    let world = World::start();
    let repo = two_branches(&world);
    let octo = world.client("octo");
    let id = open_pull(&octo);
    repo.checkout("main");
    repo.commit_file("other.txt", "other\n", "Something else");
    repo.git(&["push", "--quiet", "origin", "main"]);
    assert_eq!(
        of(&octo, &id, "PullRequest", "viewerCanUpdateBranch")["viewerCanUpdateBranch"],
        true
    );
    let path = "/api/v3/repos/octo/demo/pulls/1/update-branch";
    octo.put(path, &json!({})).expect(202);
    let look = "headRefOid commits { totalCount } viewerCanUpdateBranch";
    let updated = of(&octo, &id, "PullRequest", look);
    assert_eq!(updated["commits"]["totalCount"], 2);
    assert_ne!(updated["headRefOid"], json!(repo.head()));
    assert_eq!(updated["viewerCanUpdateBranch"], false);
}

#[test]
fn commits_files_and_histories_are_read_from_git() {
    let world = World::start();
    let repo = two_branches(&world);
    let octo = world.client("octo");
    let id = open_pull(&octo);
    let look = "files(first: 9) { totalCount nodes { path additions deletions changeType } }
        commits(first: 9) { totalCount nodes { commit {
            oid abbreviatedOid messageHeadline messageBody
            authors(first: 9) { nodes { name email user { login } } } parents(first: 9) { totalCount nodes { messageHeadline } }
            signature { isValid }
        } } }
        baseRef { name prefix target { oid } } headRef { name associatedPullRequests(first: 9) { totalCount } }";
    let pull = of(&octo, &id, "PullRequest", look);
    assert_eq!(
        pull["files"],
        json!({ "totalCount": 1, "nodes": [{ "path": "change.txt", "additions": 3, "deletions": 0, "changeType": "ADDED" }] })
    );
    let commit = &pull["commits"]["nodes"][0]["commit"];
    assert_eq!(commit["oid"], json!(repo.head()));
    assert_eq!(
        (&commit["messageHeadline"], &commit["messageBody"]),
        (&json!("Change something"), &json!("For a reason."))
    );
    assert_eq!(
        commit["parents"],
        json!({ "totalCount": 1, "nodes": [{ "messageHeadline": "Begin" }] })
    );
    assert_eq!(commit["signature"], Value::Null);
    assert_eq!(
        (&pull["baseRef"]["name"], &pull["baseRef"]["prefix"]),
        (&json!("main"), &json!("refs/heads/"))
    );
    assert_eq!(pull["headRef"]["associatedPullRequests"]["totalCount"], 1);

    let query = "query($expression: String!) { repository(owner: \"octo\", name: \"demo\") { object(expression: $expression) {
        __typename ... on Blob { text } ... on Tree { entries { name type mode object { ... on Blob { text isBinary } } } } ... on Commit { history(first: 9, path: \"README.md\") { totalCount nodes { messageHeadline } } } } } }";
    let object = |expression: &str| {
        octo.data(query, &json!({ "expression": expression }))["repository"]["object"].take()
    };
    assert_eq!(object("feature:change.txt")["text"], "one\ntwo\nthree\n");
    assert_eq!(
        object("feature:")["entries"][1],
        json!({ "name": "change.txt", "type": "blob", "mode": 0o100_644,
                "object": { "text": "one\ntwo\nthree\n", "isBinary": false } })
    );
    assert_eq!(
        object("feature")["history"],
        json!({ "totalCount": 1, "nodes": [{ "messageHeadline": "Begin" }] })
    );
    assert_eq!(object("feature:../../etc/passwd"), Value::Null);
    assert_eq!(object("--output=/tmp/x"), Value::Null);
}
