//! Changes: what is sent, what the answers mean, and what may be sent twice.

use baton_protocol::Oid;
use baton_remote::github::NodeId;
use baton_remote::github::enums::{DiffSide, MergeMethod};
use baton_remote::github::resources::labels::Label;
use baton_remote::github::resources::merging::{MergeOutcome, MergeRequest, UpdateOutcome};
use baton_remote::github::resources::pulls::{NewPullRequest, PullRequestChange};
use baton_remote::github::resources::reviews::{NewReview, NewReviewComment, Verdict};
use serde_json::{Value, json};

use super::server::{Answer, Scripted};
use super::{BASE, HEAD, MERGE, client, pull, repository, with};

fn id(text: &str) -> Oid {
    Oid::parse(text).unwrap()
}

fn said(message: &str) -> Value {
    json!({ "message": message })
}

async fn merge(server: &Scripted) -> MergeOutcome {
    let head = id(HEAD);
    let request = MergeRequest {
        head: &head,
        method: Some(MergeMethod::Squash),
        title: Some("Add a door (#12)"),
        message: None,
    };
    let github = client(server);
    github
        .merge_pull_request(&repository(), 12, &request)
        .await
        .unwrap()
}

const MERGING: &str = "PUT /repos/octo/app/pulls/12/merge";
const PULL: &str = "GET /repos/octo/app/pulls/12";

#[tokio::test]
async fn a_merge_names_the_head_it_is_for() {
    let server = Scripted::start().await;
    server.on_json(
        MERGING,
        &json!({ "sha": MERGE, "merged": true, "message": "Pull Request successfully merged" }),
    );
    let commit = Some(id(MERGE));
    assert_eq!(merge(&server).await, MergeOutcome::Merged { commit });
    assert_eq!(
        server.seen()[0].body,
        json!({ "sha": HEAD, "merge_method": "squash", "commit_title": "Add a door (#12)" })
    );
}

#[tokio::test]
async fn a_refused_merge_reports_the_reason() {
    let server = Scripted::start().await;
    let reason = "Required status check \"build\" is expected.".to_owned();
    server.on(MERGING, Answer::json(405, &said(&reason)));
    server.on_json(PULL, &pull(12));
    assert_eq!(merge(&server).await, MergeOutcome::NotMergeable { reason });
}

#[tokio::test]
async fn a_head_that_moved_is_not_merged() {
    let server = Scripted::start().await;
    server.on(
        MERGING,
        Answer::json(409, &said("Head branch was modified.")),
    );
    let moved = json!({ "head": { "ref": "door", "sha": BASE, "repo": null } });
    server.on_json(PULL, &with(pull(12), &moved));
    assert_eq!(
        merge(&server).await,
        MergeOutcome::HeadMoved { head: id(BASE) }
    );
}

/// The answer to the first merge was lost; the second one is refused.
#[tokio::test]
async fn what_is_merged_already_is_merged() {
    let server = Scripted::start().await;
    server.on(
        MERGING,
        Answer::json(405, &said("Pull Request is not mergeable")),
    );
    let merged = json!({ "state": "closed", "merged_at": "2031-05-06T07:08:09Z", "merge_commit_sha": MERGE });
    server.on_json(PULL, &with(pull(12), &merged));
    let commit = Some(id(MERGE));
    assert_eq!(merge(&server).await, MergeOutcome::Merged { commit });
}

#[tokio::test]
async fn updating_a_branch_has_three_ends() {
    const UPDATE: &str = "PUT /repos/octo/app/pulls/12/update-branch";
    let server = Scripted::start().await;
    server.on(
        UPDATE,
        Answer::json(202, &said("Updating pull request branch.")),
    );
    server.on(
        UPDATE,
        Answer::json(422, &said("merge conflict between base and head")),
    );
    server.on(
        UPDATE,
        Answer::json(
            422,
            &said("expected head sha didn’t match current head ref."),
        ),
    );
    server.on_json(PULL, &pull(12));
    let moved = json!({ "head": { "ref": "door", "sha": BASE, "repo": null } });
    server.on_json(PULL, &with(pull(12), &moved));
    let github = client(&server);
    let mut outcomes = Vec::new();
    for _ in 0..3 {
        let outcome = github.update_branch(&repository(), 12, &id(HEAD)).await;
        outcomes.push(outcome.unwrap());
    }
    assert_eq!(
        outcomes,
        [
            UpdateOutcome::Accepted,
            UpdateOutcome::Refused {
                reason: "merge conflict between base and head".to_owned()
            },
            UpdateOutcome::HeadMoved { head: id(BASE) },
        ]
    );
    assert_eq!(server.seen()[0].body, json!({ "expected_head_sha": HEAD }));
}

#[tokio::test]
async fn an_existing_pull_request_is_distinguished_from_other_refusals() {
    let server = Scripted::start().await;
    let exists = json!({
        "message": "Validation Failed",
        "errors": [{ "resource": "PullRequest", "code": "custom", "message": "A pull request already exists for octo:door." }]
    });
    let empty = json!({
        "message": "Validation Failed",
        "errors": [{ "resource": "PullRequest", "code": "custom", "message": "No commits between main and door" }]
    });
    server.on("POST /repos/octo/app/pulls", Answer::json(422, &exists));
    server.on("POST /repos/octo/app/pulls", Answer::json(422, &empty));
    let github = client(&server);
    let new = NewPullRequest {
        title: "Add a door",
        body: "Through which to go",
        head: "door",
        base: "main",
        draft: true,
    };
    let first = github.create_pull_request(&repository(), &new).await;
    assert!(first.unwrap_err().already_exists());
    let second = github.create_pull_request(&repository(), &new).await;
    assert!(!second.unwrap_err().already_exists());
    assert_eq!(
        server.seen()[0].body,
        json!({ "title": "Add a door", "body": "Through which to go", "head": "door", "base": "main", "draft": true })
    );
}

#[tokio::test]
async fn a_change_names_only_what_changes() {
    let server = Scripted::start().await;
    server.on_json("PATCH /repos/octo/app/pulls/12", &pull(12));
    let change = PullRequestChange {
        base: Some("main"),
        open: Some(false),
        ..PullRequestChange::default()
    };
    let github = client(&server);
    github
        .update_pull_request(&repository(), 12, &change)
        .await
        .unwrap();
    assert_eq!(
        server.seen()[0].body,
        json!({ "base": "main", "state": "closed" })
    );
}

#[tokio::test]
async fn a_review_goes_out_whole() {
    let server = Scripted::start().await;
    let review = json!({
        "id": 5, "node_id": "R_5", "user": null, "body": "", "state": "CHANGES_REQUESTED",
        "html_url": "https://github.com/octo/app/pull/12#pullrequestreview-5"
    });
    server.on_json("POST /repos/octo/app/pulls/12/reviews", &review);
    let comment = |line, start_line| NewReviewComment {
        path: "src/door.rs",
        line,
        start_line,
        side: DiffSide::Right,
        body: "Locked?",
    };
    let head = id(HEAD);
    let review = NewReview {
        commit: &head,
        verdict: Verdict::RequestChanges,
        body: "Almost",
        comments: vec![comment(3, None), comment(9, Some(7))],
    };
    let github = client(&server);
    github
        .create_review(&repository(), 12, &review)
        .await
        .unwrap();
    assert_eq!(
        server.seen()[0].body,
        json!({
            "commit_id": HEAD,
            "event": "REQUEST_CHANGES",
            "body": "Almost",
            "comments": [
                { "path": "src/door.rs", "line": 3, "side": "RIGHT", "body": "Locked?" },
                { "path": "src/door.rs", "line": 9, "side": "RIGHT", "body": "Locked?", "start_line": 7, "start_side": "RIGHT" }
            ]
        })
    );
}

#[tokio::test]
async fn what_is_done_already_is_done() {
    let server = Scripted::start().await;
    server.on_json("GET /repos/octo/app", &json!({ "full_name": "octo/app" }));
    let exists = json!({
        "message": "Validation Failed",
        "errors": [{ "resource": "Label", "code": "already_exists", "field": "name" }]
    });
    server.on("POST /repos/octo/app/labels", Answer::json(422, &exists));
    let gone = Answer::json(404, &said("Label does not exist"));
    server.on("DELETE /repos/octo/app/issues/7/labels/in%20work", gone);
    let gone = Answer::json(422, &said("Reference does not exist"));
    server.on("DELETE /repos/octo/app/git/refs/heads%2Ffix%2Fdoor", gone);
    let github = client(&server);
    let label = Label {
        name: "in work".to_owned(),
        color: None,
        description: None,
    };
    github.ensure_label(&repository(), &label).await.unwrap();
    github
        .remove_label(&repository(), 7, "in work")
        .await
        .unwrap();
    github
        .delete_branch(&repository(), "fix/door")
        .await
        .unwrap();
}

#[tokio::test]
async fn threads_and_drafts_are_changed_by_graphql() {
    let server = Scripted::start().await;
    let thread = |field: &str, resolved: bool| json!({ "data": { field: { "thread": { "id": "T_1", "isResolved": resolved } } } });
    let draft = |field: &str, is_draft: bool| json!({ "data": { field: { "pullRequest": { "id": "PR_12", "number": 12, "isDraft": is_draft } } } });
    for (operation, body) in [
        ("ResolveReviewThread", thread("resolveReviewThread", true)),
        (
            "UnresolveReviewThread",
            thread("unresolveReviewThread", false),
        ),
        (
            "MarkReadyForReview",
            draft("markPullRequestReadyForReview", false),
        ),
        ("ConvertToDraft", draft("convertPullRequestToDraft", true)),
        (
            "ReplyToReviewThread",
            json!({ "data": { "addPullRequestReviewThreadReply": { "comment": { "id": "C_9", "fullDatabaseId": "9000000000", "url": "https://github.com/c" } } } }),
        ),
        (
            "EnqueuePullRequest",
            json!({ "data": { "enqueuePullRequest": { "mergeQueueEntry": { "position": 2, "state": "QUEUED", "enqueuedAt": null, "estimatedTimeToMerge": 60 } } } }),
        ),
    ] {
        server.on_graphql(operation, Answer::json(200, &body));
    }
    let github = client(&server);
    let (thread, pull) = (NodeId::new("T_1"), NodeId::new("PR_12"));
    github.resolve_thread(&thread).await.unwrap();
    github.unresolve_thread(&thread).await.unwrap();
    assert!(!github.mark_ready_for_review(&pull).await.unwrap().is_draft);
    assert!(github.convert_to_draft(&pull).await.unwrap().is_draft);
    let reply = github
        .reply_to_thread(&thread, "Done in 1111111")
        .await
        .unwrap();
    assert_eq!(reply.full_database_id, Some(9_000_000_000));
    let entry = github.enqueue_pull_request(&pull, &id(HEAD)).await.unwrap();
    assert_eq!(entry.unwrap().position, 2);
    let variables: Vec<Value> = server
        .seen()
        .into_iter()
        .map(|seen| seen.body["variables"].clone())
        .collect();
    assert_eq!(
        variables[4],
        json!({ "thread": "T_1", "body": "Done in 1111111" })
    );
    assert_eq!(variables[5], json!({ "pull": "PR_12", "head": HEAD }));
}

/// A mutation that answers in part has not been made.
#[tokio::test]
async fn half_a_mutation_is_none() {
    let server = Scripted::start().await;
    let body = json!({
        "data": { "resolveReviewThread": { "thread": { "id": "T_1", "isResolved": false } } },
        "errors": [{ "type": "FORBIDDEN", "path": ["resolveReviewThread"], "message": "octo does not have permission" }]
    });
    server.on_graphql("ResolveReviewThread", Answer::json(200, &body));
    let error = client(&server)
        .resolve_thread(&NodeId::new("T_1"))
        .await
        .unwrap_err();
    insta::assert_snapshot!(error, @"cannot resolve thread T_1: the token may not do this: octo does not have permission");
}
