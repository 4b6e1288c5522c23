//! What is said about pull requests.

use serde_json::{Value, json};

use super::{of, open_pull, text, two_branches};
use crate::world::World;

const THREADS: &str = "reviewThreads(first: 9) { totalCount nodes {
    id isResolved isOutdated path line startLine originalLine diffSide subjectType viewerCanReply viewerCanResolve
    resolvedBy { login }
    comments(first: 9) { totalCount nodes {
        id body path line outdated diffHunk state author { login } authorAssociation replyTo { id }
        pullRequestReview { state } fullDatabaseId
    } }
} }";

#[test]
fn a_review_with_threads_is_written_answered_and_settled() {
    let world = World::start();
    let _repo = two_branches(&world);
    let (octo, reviewer) = (world.client("octo"), world.client("reviewer"));
    let id = open_pull(&octo);
    let input = json!({
        "pullRequestId": id, "event": "REQUEST_CHANGES", "body": "Not like this",
        "threads": [
            { "path": "change.txt", "line": 2, "body": "Why two?" },
            { "path": "change.txt", "startLine": 1, "line": 3, "body": "All of it" },
        ],
        "comments": [{ "path": "change.txt", "position": 1, "body": "By position" }],
    });
    let look = "pullRequestReview { id state body author { login } comments(first: 9) { totalCount } commit { oid } submittedAt url }
        reviewEdge { node { id } }";
    let review = reviewer.mutate("addPullRequestReview", look, &input);
    assert_eq!(review["pullRequestReview"]["state"], "CHANGES_REQUESTED");
    assert_eq!(review["pullRequestReview"]["comments"]["totalCount"], 3);

    let threads = of(&octo, &id, "PullRequest", THREADS)["reviewThreads"]["nodes"].take();
    let summary: Vec<_> = threads
        .as_array()
        .unwrap()
        .iter()
        .map(|thread| {
            (
                thread["startLine"].clone(),
                thread["line"].clone(),
                thread["comments"]["nodes"][0]["body"].clone(),
            )
        })
        .collect();
    assert_eq!(
        summary,
        [
            (Value::Null, json!(1), json!("By position")),
            (Value::Null, json!(2), json!("Why two?")),
            (json!(1), json!(3), json!("All of it")),
        ]
    );
    assert_eq!(
        threads[1]["comments"]["nodes"][0]["diffHunk"],
        "@@ -0,0 +1,3 @@\n+one\n+two"
    );
    let thread = text(&threads[1]["id"]);

    let input = json!({ "pullRequestReviewThreadId": thread, "body": "Because" });
    let reply = octo.mutate(
        "addPullRequestReviewThreadReply",
        "comment { id body replyTo { id } url }",
        &input,
    );
    assert_eq!(
        reply["comment"]["replyTo"]["id"],
        threads[1]["comments"]["nodes"][0]["id"]
    );
    let named = json!({ "threadId": thread });
    let guest = world.client("guest");
    assert!(
        guest
            .refused("resolveReviewThread", &named)
            .starts_with("FORBIDDEN: ")
    );
    let settled = octo.mutate(
        "resolveReviewThread",
        "thread { isResolved resolvedBy { login } viewerCanUnresolve }",
        &named,
    );
    assert_eq!(
        settled["thread"],
        json!({ "isResolved": true, "resolvedBy": { "login": "octo" }, "viewerCanUnresolve": true })
    );
    let open = octo.mutate("unresolveReviewThread", "thread { isResolved }", &named);
    assert_eq!(open["thread"]["isResolved"], false);
}

#[test]
fn opinions_are_the_latest_of_each_reviewer() {
    let world = World::start();
    let _repo = two_branches(&world);
    let (octo, reviewer) = (world.client("octo"), world.client("reviewer"));
    let id = open_pull(&octo);
    for event in ["REQUEST_CHANGES", "APPROVE"] {
        let input = json!({ "pullRequestId": id, "event": event, "body": "So" });
        reviewer.mutate("addPullRequestReview", "clientMutationId", &input);
    }
    let seen = of(&octo, &id, "PullRequest", "latestOpinionatedReviews(first: 9) { nodes { state author { login } authorCanPushToRepository } }
        latestReviews(first: 9) { totalCount } viewerLatestReview { state }");
    assert_eq!(
        seen,
        json!({
            "latestOpinionatedReviews": { "nodes": [{
                "state": "APPROVED", "author": { "login": "reviewer" }, "authorCanPushToRepository": true,
            }] },
            "latestReviews": { "totalCount": 1 },
            "viewerLatestReview": null,
        })
    );
}

#[test]
fn a_review_without_an_event_is_pending_and_its_authors_alone() {
    let world = World::start();
    let _repo = two_branches(&world);
    let (octo, reviewer) = (world.client("octo"), world.client("reviewer"));
    let id = open_pull(&octo);
    let thread = json!({ "path": "change.txt", "line": 1, "body": "Hm" });
    let input = json!({ "pullRequestId": id, "threads": [thread] });
    let begun = reviewer.mutate(
        "addPullRequestReview",
        "pullRequestReview { id state comments(first: 1) { nodes { id state } } }",
        &input,
    );
    let review = &begun["pullRequestReview"];
    assert_eq!(review["state"], "PENDING");
    assert_eq!(review["comments"]["nodes"][0]["state"], "PENDING");
    let look = "reviews(first: 9) { nodes { id } } reviewThreads(first: 9) { totalCount }";
    assert_eq!(
        of(&octo, &id, "PullRequest", look),
        json!({ "reviews": { "nodes": [] }, "reviewThreads": { "totalCount": 0 } })
    );
    let query = "query($id: ID!) { node(id: $id) { id } }";
    for hidden in [&review["id"], &review["comments"]["nodes"][0]["id"]] {
        let complaint = octo.complaints(query, &json!({ "id": hidden }));
        assert!(complaint.starts_with("NOT_FOUND: "), "{complaint}");
    }
    let own = of(&reviewer, &id, "PullRequest", look);
    assert_eq!(own["reviews"]["nodes"][0]["id"], review["id"]);
}
