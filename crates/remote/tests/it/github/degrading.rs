//! Queries of which the server refuses a field: the rest is answered.

use baton_remote::github::questions::merge_readiness::MergeReadiness;
use baton_remote::github::{Fact, GitHubError};
use serde_json::{Value, json};

use super::server::{Answer, Scripted};
use super::{BASE, HEAD, client, repository, with};

const SCOPES: &str = "Your token has not been granted the required scopes to execute this query. The 'combinedSlug' field \
    requires one of the following scopes: ['read:org', 'read:discussion'], but your token has only been granted the: \
    ['repo'] scopes. Please modify your token's scopes at: https://github.com/settings/tokens.";

/// Where a field is in the query as the client sends it.
fn place(query: &str, field: &str) -> Value {
    let lines = query.lines().enumerate();
    let found = lines.filter(|(_, line)| line.trim_start().starts_with(field));
    let places = found.map(|(index, line)| {
        let column = line.len() - line.trim_start().len() + 1;
        json!({ "line": index + 1, "column": column })
    });
    places.take(1).collect()
}

fn text_of(document: &str) -> &'static str {
    let mut all = baton_remote::github::DOCUMENTS.iter();
    all.find(|(name, _)| *name == document).unwrap().1
}

fn insufficient_scopes() -> Value {
    let locations = place(text_of("merge_readiness"), "combinedSlug");
    json!({ "errors": [{ "type": "INSUFFICIENT_SCOPES", "locations": locations, "message": SCOPES }] })
}

fn undefined(field: &str, on: &str) -> Value {
    let locations = place(text_of("merge_readiness"), field);
    json!({
        "path": ["query MergeReadiness", "repository", "pullRequest", field],
        "locations": locations,
        "message": format!("Field '{field}' doesn't exist on type '{on}'"),
        "extensions": { "code": "undefinedField", "typeName": on, "fieldName": field },
    })
}

/// A pull request of which all is as it should be, as far as it was asked for.
fn pull() -> Value {
    let list = |nodes: Value| json!({ "totalCount": 1, "pageInfo": { "hasNextPage": false, "endCursor": null }, "nodes": nodes });
    let team = json!({ "asCodeOwner": true, "requestedReviewer": { "__typename": "Team" } });
    let review = json!({
        "state": "APPROVED", "author": { "__typename": "User", "login": "ann" }, "authorAssociation": "MEMBER",
        "authorCanPushToRepository": true, "submittedAt": null, "url": "https://github.com/r", "commit": { "oid": HEAD },
    });
    let pull = json!({
        "id": "PR_12", "number": 12, "title": "Add a door", "url": "https://github.com/octo/app/pull/12", "state": "OPEN",
        "isDraft": false, "locked": false, "merged": false, "mergeable": "MERGEABLE", "mergeStateStatus": "CLEAN",
        "reviewDecision": "APPROVED", "author": { "__typename": "User", "login": "octo" }, "baseRefName": "main",
        "baseRefOid": BASE, "headRefName": "door", "headRefOid": HEAD, "isCrossRepository": false,
        "maintainerCanModify": true, "viewerCanMergeAsAdmin": false, "viewerCanUpdateBranch": true,
    });
    let head = json!({ "oid": HEAD, "message": "", "author": null, "committer": null, "deployments": list(json!([])) });
    let rest = json!({
        "isMergeQueueEnabled": false, "isInMergeQueue": false, "mergeQueueEntry": null, "autoMergeRequest": null,
        "labels": { "nodes": [] },
        "baseRef": { "associatedPullRequests": { "nodes": [] }, "branchProtectionRule": null, "refUpdateRule": null },
        "latestOpinionatedReviews": list(json!([review])), "reviewRequests": list(json!([team])),
        "reviewThreads": list(json!([])), "ownCommits": list(json!([])),
        "commits": { "totalCount": 1, "nodes": [{ "commit": head }] },
    });
    with(pull, &rest)
}

fn answer(pull: &Value) -> Value {
    let repository = json!({
        "isArchived": false, "viewerPermission": "WRITE", "mergeCommitAllowed": true, "squashMergeAllowed": true,
        "rebaseMergeAllowed": true, "deleteBranchOnMerge": false, "pullRequest": pull,
    });
    json!({ "data": { "repository": repository } })
}

fn without(mut pull: Value, field: &str) -> Value {
    pull.as_object_mut().unwrap().remove(field);
    pull
}

async fn readiness(server: &Scripted, bodies: &[Value]) -> Result<MergeReadiness, GitHubError> {
    for body in bodies {
        server.on_graphql("MergeReadiness", Answer::json(200, body));
    }
    client(server).merge_readiness(&repository(), 12).await
}

fn queries(server: &Scripted) -> Vec<String> {
    let seen = server.seen();
    let texts = seen
        .iter()
        .map(|seen| seen.body["query"].as_str().unwrap_or_default().to_owned());
    texts.collect()
}

#[tokio::test]
async fn a_scope_that_is_missing_for_one_field_leaves_the_rest() {
    let server = Scripted::start().await;
    let bodies = [insufficient_scopes(), answer(&pull())];
    let found = readiness(&server, &bodies).await.unwrap();
    let requested = found.review_requests.items[0]
        .requested_reviewer
        .as_ref()
        .unwrap();
    assert!(requested.is_team() && requested.name().is_none());
    assert!(found.doubts.is_empty(), "{:?}", found.doubts);
    let [lost] = found.unreadable.as_slice() else {
        panic!("{:?}", found.unreadable)
    };
    assert_eq!(
        lost.what,
        "repository.pullRequest.reviewRequests.nodes.requestedReviewer.combinedSlug"
    );
    assert_eq!(
        lost.remedy,
        "Run `gh auth refresh --scopes read:org`, or add the scope to the token; it has repo."
    );
    let queries = queries(&server);
    assert!(queries[0].contains("combinedSlug") && !queries[1].contains("combinedSlug"));
    assert!(queries[1].contains("reviewThreads"));
}

#[tokio::test]
async fn what_was_refused_is_not_asked_for_again() {
    let server = Scripted::start().await;
    for body in [insufficient_scopes(), answer(&pull())] {
        server.on_graphql("MergeReadiness", Answer::json(200, &body));
    }
    let github = client(&server);
    for _ in 0..2 {
        let found = github.merge_readiness(&repository(), 12).await.unwrap();
        assert_eq!(found.unreadable.len(), 1);
    }
    let asked: Vec<bool> = queries(&server)
        .iter()
        .map(|query| query.contains("combinedSlug"))
        .collect();
    assert_eq!(asked, [true, false, false]);
    // Another token may have the scope.
    client(&server)
        .merge_readiness(&repository(), 12)
        .await
        .unwrap();
    assert!(queries(&server)[3].contains("combinedSlug"));
}

#[tokio::test]
async fn fields_that_an_older_server_does_not_know_are_unreadable() {
    let server = Scripted::start().await;
    let problems = [
        undefined("isMergeQueueEnabled", "PullRequest"),
        undefined("isInMergeQueue", "PullRequest"),
    ];
    let older = without(without(pull(), "isMergeQueueEnabled"), "isInMergeQueue");
    let bodies = [json!({ "errors": problems }), answer(&older)];
    let found = readiness(&server, &bodies).await.unwrap();
    let doubts: Vec<&str> = found
        .doubts
        .iter()
        .map(|doubt| doubt.what.as_str())
        .collect();
    assert_eq!(doubts, ["repository.pullRequest.isMergeQueueEnabled"]);
    assert_eq!(found.unreadable.len(), 2);
    assert!(
        found.doubts[0]
            .remedy
            .contains("update GitHub Enterprise Server")
    );
}

/// The same without codes and places, as servers before 2.20 answered.
#[tokio::test]
async fn a_problem_in_words_alone_is_understood() {
    let server = Scripted::start().await;
    let problem = json!({
        "path": ["query MergeReadiness", "repository", "pullRequest", "reviewDecision"],
        "message": "Field 'reviewDecision' doesn't exist on type 'PullRequest'",
    });
    let bodies = [
        json!({ "errors": [problem] }),
        answer(&without(pull(), "reviewDecision")),
    ];
    let found = readiness(&server, &bodies).await.unwrap();
    assert!(
        matches!(found.review_decision, Fact::Unreadable(_)),
        "{:?}",
        found.review_decision
    );
}

/// A field that must not be `null` took the whole pull request with it.
#[tokio::test]
async fn what_a_forbidden_field_took_along_is_asked_for_again() {
    let server = Scripted::start().await;
    let path = json!([
        "repository",
        "pullRequest",
        "latestOpinionatedReviews",
        "nodes",
        0,
        "authorCanPushToRepository"
    ]);
    let problem = json!({ "type": "FORBIDDEN", "path": path, "message": "Resource not accessible by integration" });
    let lost = json!({ "data": { "repository": null }, "errors": [problem] });
    let mut rest = pull();
    rest["latestOpinionatedReviews"]["nodes"][0]
        .as_object_mut()
        .unwrap()
        .remove("authorCanPushToRepository");
    let found = readiness(&server, &[lost, answer(&rest)]).await.unwrap();
    // Whether the review counts is not known.
    assert!(found.reviews.truncated);
    assert!(!found.reviews.items[0].author_can_push_to_repository);
}

#[tokio::test]
async fn a_null_that_took_nothing_along_is_no_reason_to_ask_again() {
    let server = Scripted::start().await;
    let problem = json!({ "type": "FORBIDDEN", "path": ["repository", "pullRequest", "labels"], "message": "no" });
    let mut body = answer(&with(pull(), &json!({ "labels": null })));
    body["errors"] = json!([problem]);
    let found = readiness(&server, &[body]).await.unwrap();
    assert!(matches!(found.labels, Fact::Unreadable(_)));
    assert_eq!(queries(&server).len(), 1);
}

#[tokio::test]
async fn where_the_rest_is_no_answer_the_first_problem_is_the_error() {
    let server = Scripted::start().await;
    let bodies = [
        json!({ "errors": [undefined("headRefOid", "PullRequest")] }),
        answer(&without(pull(), "headRefOid")),
    ];
    let error = readiness(&server, &bodies).await.unwrap_err();
    insta::assert_snapshot!(format!("{error}\n{}", error.hint()), @r"
    cannot read the merge requirements of pull request octo/app#12: the server does not know what was asked for: Field 'headRefOid' doesn't exist on type 'PullRequest'
    The server is too old for this: update GitHub Enterprise Server.
    ");
    // Not once more than that.
    let server = Scripted::start().await;
    let stubborn = json!({ "errors": [undefined("isDraft", "PullRequest")] });
    readiness(&server, &[stubborn]).await.unwrap_err();
    assert_eq!(queries(&server).len(), 2);
}
