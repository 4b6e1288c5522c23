//! The ways of a pull request into its base branch.

use serde_json::{Value, json};

use super::{of, open_pull, repository_id, two_branches};
use crate::checks::eventually;
use crate::world::{Client, World};

#[track_caller]
fn settled(client: &Client, id: &str) -> Value {
    eventually("the result of the trial", || {
        let pull = of(
            client,
            id,
            "PullRequest",
            "mergeable mergeStateStatus canBeRebased reviewDecision",
        );
        (pull["mergeable"] != "UNKNOWN" && pull["canBeRebased"] == true).then_some(pull)
    })
}

#[test]
fn a_pull_request_is_merged_if_its_head_is_the_one_that_was_seen() {
    let world = World::start();
    let repo = two_branches(&world);
    let octo = world.client("octo");
    let id = open_pull(&octo);
    let pull = settled(&octo, &id);
    assert_eq!(
        (&pull["mergeable"], &pull["mergeStateStatus"]),
        (&json!("MERGEABLE"), &json!("CLEAN"))
    );
    let input = json!({ "pullRequestId": id, "expectedHeadOid": "1".repeat(40) });
    insta::assert_snapshot!(
        octo.refused("mergePullRequest", &input),
        @"UNPROCESSABLE: Head branch was modified. Review and try the merge again."
    );
    let input = json!({
        "pullRequestId": id, "expectedHeadOid": repo.head(), "mergeMethod": "SQUASH",
        "commitHeadline": "One commit", "commitBody": "With a body",
    });
    let look = "actor { login } pullRequest { state merged mergedAt mergedBy { login } mergeCommit { oid message parents(first: 2) { totalCount } } }";
    let merged = octo.mutate("mergePullRequest", look, &input);
    let pull = &merged["pullRequest"];
    assert_eq!(
        (&pull["state"], &pull["merged"]),
        (&json!("MERGED"), &json!(true))
    );
    assert_eq!(pull["mergeCommit"]["message"], "One commit\n\nWith a body");
    assert_eq!(pull["mergeCommit"]["parents"]["totalCount"], 1);
    let query =
        "{ repository(owner: \"octo\", name: \"demo\") { defaultBranchRef { target { oid } } } }";
    let tip =
        octo.data(query, &json!({}))["repository"]["defaultBranchRef"]["target"]["oid"].take();
    assert_eq!(tip, pull["mergeCommit"]["oid"]);
}

fn protect(client: &Client) {
    let protection = json!({
        "required_status_checks": { "strict": true, "checks": [{ "context": "ci/test" }] },
        "enforce_admins": false,
        "required_pull_request_reviews": { "required_approving_review_count": 1 },
        "restrictions": null,
    });
    let path = "/api/v3/repos/octo/demo/branches/main/protection";
    client.put(path, &protection).expect(200);
}

#[test]
fn what_a_branch_asks_for_is_told_and_held() {
    let world = World::start();
    let repo = two_branches(&world);
    let (octo, reviewer) = (world.client("octo"), world.client("reviewer"));
    protect(&octo);
    let id = open_pull(&octo);
    let pull = settled(&octo, &id);
    assert_eq!(
        (&pull["mergeStateStatus"], &pull["reviewDecision"]),
        (&json!("BLOCKED"), &json!("REVIEW_REQUIRED"))
    );
    let look = "viewerCanMergeAsAdmin baseRef {
        branchProtectionRule { pattern requiresApprovingReviews requiredApprovingReviewCount requiresStatusChecks
            requiresStrictStatusChecks requiredStatusChecks { context app { slug } } isAdminEnforced }
        refUpdateRule { requiredStatusCheckContexts viewerCanPush } }";
    let seen = of(&octo, &id, "PullRequest", look);
    assert_eq!(seen["viewerCanMergeAsAdmin"], true);
    assert_eq!(
        seen["baseRef"]["branchProtectionRule"],
        json!({
            "pattern": "main", "requiresApprovingReviews": true, "requiredApprovingReviewCount": 1,
            "requiresStatusChecks": true, "requiresStrictStatusChecks": true,
            "requiredStatusChecks": [{ "context": "ci/test", "app": null }], "isAdminEnforced": false,
        })
    );
    assert_eq!(
        seen["baseRef"]["refUpdateRule"],
        json!({ "requiredStatusCheckContexts": ["ci/test"], "viewerCanPush": true })
    );
    let refusal = reviewer.refused("mergePullRequest", &json!({ "pullRequestId": id }));
    assert!(refusal.starts_with("UNPROCESSABLE: "), "{refusal}");

    let status = json!({ "state": "pending", "context": "ci/test" });
    let path = format!("/api/v3/repos/octo/demo/statuses/{}", repo.head());
    octo.post(&path, &status).expect(201);
    let look = "statusCheckRollup { state contexts(first: 9) { nodes {
        __typename ... on StatusContext { context state isRequired(pullRequestNumber: 1) } } } }";
    let rollup = of(&octo, &id, "PullRequest", look)["statusCheckRollup"].take();
    assert_eq!(
        rollup,
        json!({ "state": "PENDING", "contexts": { "nodes": [
            { "__typename": "StatusContext", "context": "ci/test", "state": "PENDING", "isRequired": true },
        ] } })
    );
    octo.post(&path, &json!({ "state": "success", "context": "ci/test" }))
        .expect(201);
    let input = json!({ "pullRequestId": id, "event": "APPROVE" });
    reviewer.mutate("addPullRequestReview", "clientMutationId", &input);
    let pull = settled(&octo, &id);
    assert_eq!(
        (&pull["mergeStateStatus"], &pull["reviewDecision"]),
        (&json!("CLEAN"), &json!("APPROVED"))
    );
    let merged = reviewer.mutate(
        "mergePullRequest",
        "pullRequest { state }",
        &json!({ "pullRequestId": id }),
    );
    assert_eq!(merged["pullRequest"]["state"], "MERGED");
}

#[test]
fn a_wish_to_merge_is_kept_and_taken_back() {
    let world = World::start();
    let _repo = two_branches(&world);
    let octo = world.client("octo");
    protect(&octo);
    octo.patch(
        "/api/v3/repos/octo/demo",
        &json!({ "allow_auto_merge": true }),
    )
    .expect(200);
    let id = open_pull(&octo);
    settled(&octo, &id);
    let input = json!({ "pullRequestId": id, "mergeMethod": "REBASE", "commitHeadline": "Later" });
    let look = "pullRequest { autoMergeRequest { mergeMethod commitHeadline enabledBy { login } } viewerCanDisableAutoMerge }";
    let enabled = octo.mutate("enablePullRequestAutoMerge", look, &input);
    assert_eq!(
        enabled["pullRequest"]["autoMergeRequest"],
        json!({ "mergeMethod": "REBASE", "commitHeadline": "Later", "enabledBy": { "login": "octo" } })
    );
    let input = json!({ "pullRequestId": id });
    let disabled = octo.mutate("disablePullRequestAutoMerge", look, &input);
    assert_eq!(disabled["pullRequest"]["autoMergeRequest"], Value::Null);
}

#[test]
fn a_queue_is_joined() {
    let world = World::start();
    let repo = two_branches(&world);
    let octo = world.client("octo");
    let ruleset = json!({
        "name": "Queue", "target": "branch", "enforcement": "active",
        "conditions": { "ref_name": { "include": ["~DEFAULT_BRANCH"], "exclude": [] } },
        "rules": [
            { "type": "merge_queue", "parameters": {
                "check_response_timeout_minutes": 60, "grouping_strategy": "ALLGREEN", "max_entries_to_build": 5,
                "max_entries_to_merge": 5, "merge_method": "SQUASH", "min_entries_to_merge": 1,
                "min_entries_to_merge_wait_minutes": 5 } },
            { "type": "required_status_checks", "parameters": {
                "strict_required_status_checks_policy": false,
                "required_status_checks": [{ "context": "ci/test" }] } },
        ],
    });
    octo.post("/api/v3/repos/octo/demo/rulesets", &ruleset)
        .expect(201);
    let id = open_pull(&octo);
    let status = json!({ "state": "success", "context": "ci/test" });
    octo.post(
        &format!("/api/v3/repos/octo/demo/statuses/{}", repo.head()),
        &status,
    )
    .expect(201);
    settled(&octo, &id);
    let input = json!({ "pullRequestId": id, "expectedHeadOid": "1".repeat(40) });
    assert!(
        octo.refused("enqueuePullRequest", &input)
            .contains("Head branch was modified")
    );
    let input = json!({ "pullRequestId": id, "expectedHeadOid": repo.head() });
    let look =
        "mergeQueueEntry { position enqueuedAt estimatedTimeToMerge pullRequest { number } }";
    let entry = octo.mutate("enqueuePullRequest", look, &input)["mergeQueueEntry"].take();
    assert_eq!(
        (&entry["position"], &entry["pullRequest"]["number"]),
        (&json!(1), &json!(1))
    );
    let look = "isInMergeQueue isMergeQueueEnabled mergeQueueEntry { position state }";
    let pull = of(&octo, &id, "PullRequest", look);
    assert_eq!(
        (&pull["isInMergeQueue"], &pull["isMergeQueueEnabled"]),
        (&json!(true), &json!(true))
    );
    let queue = "query($id: ID!) { repository: node(id: $id) { ... on Repository { mergeQueue { entries(first: 1) { totalCount } } } } }";
    let queue = octo.data(queue, &json!({ "id": repository_id(&octo) }));
    assert_eq!(
        queue["repository"]["mergeQueue"]["entries"]["totalCount"],
        1
    );
}
