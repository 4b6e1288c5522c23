//! GraphQL answers, including partial ones.

use baton_protocol::Oid;
use baton_remote::github::enums::{
    AuthorAssociation, CheckConclusion, CheckStatus, DeploymentState, FileStatus, MergeState,
    Mergeable, Permission, Reaction,
};
use baton_remote::github::questions::pull_request_checks::{Check, PastCheck};
use baton_remote::github::{Fact, GitHubErrorKind, NodeId};
use serde_json::{Value, json};

use super::server::{Answer, Scripted};
use super::{BASE, HEAD, MERGE, client, repository};

const TIME: &str = "2031-05-06T07:08:09Z";

fn in_pull(pull: &Value) -> Value {
    json!({ "data": { "repository": { "pullRequest": pull } } })
}

fn one_page(nodes: &Value) -> Value {
    let count = nodes.as_array().unwrap().len();
    json!({ "totalCount": count, "pageInfo": { "hasNextPage": false, "endCursor": null }, "nodes": nodes })
}

fn person(login: &str, kind: &str) -> Value {
    json!({ "__typename": kind, "login": login })
}

#[tokio::test]
async fn checks_of_all_kinds_are_understood() {
    let server = Scripted::start().await;
    let workflow_run = json!({
        "databaseId": null, "runNumber": 3, "event": "pull_request",
        "url": "https://github.com/octo/app/actions/runs/9000000001/job/2",
        "createdAt": TIME, "updatedAt": TIME, "workflow": { "databaseId": 7, "name": "CI" }
    });
    let app = json!({ "databaseId": 15368, "slug": "github-actions", "name": "GitHub Actions" });
    let contexts = one_page(&json!([
        {
            "__typename": "CheckRun", "id": "CR_1", "databaseId": 9_000_000_002_u64, "name": "build",
            "status": "COMPLETED", "conclusion": "FAILURE", "startedAt": TIME, "completedAt": TIME,
            "detailsUrl": null, "permalink": "https://github.com/x", "title": null, "summary": null,
            "isRequired": true, "checkSuite": { "id": "CS_1", "app": app, "workflowRun": workflow_run }
        },
        null,
        {
            "__typename": "CheckRun", "id": "CR_2", "databaseId": 2, "name": "scan",
            "status": "PONDERING", "conclusion": null, "isRequired": false, "checkSuite": null
        },
        { "__typename": "StatusContext", "id": "S_1", "context": "ci/old", "state": "PENDING", "isRequired": false },
        { "__typename": "CheckOfTheFuture", "id": "X" }
    ]));
    let suites = one_page(&json!([{
        "id": "CS_1", "databaseId": 1, "status": "QUEUED", "conclusion": null, "app": app,
        "workflowRun": workflow_run, "checkRuns": { "totalCount": 0 }
    }]));
    let body = in_pull(&json!({
        "id": "PR_12", "number": 12, "url": "https://github.com/octo/app/pull/12", "state": "OPEN",
        "isDraft": false, "isCrossRepository": false,
        "baseRefName": "main", "headRefName": "door", "headRefOid": HEAD,
        "commits": { "nodes": [{ "commit": {
            "oid": HEAD, "statusCheckRollup": { "state": "FAILURE", "contexts": contexts }, "checkSuites": suites
        } }] }
    }));
    server.on_graphql("PullRequestChecks", Answer::json(200, &body));
    let checks = client(&server)
        .pull_request_checks(&repository(), 12)
        .await
        .unwrap();
    let [
        Check::Run(build),
        Check::Run(scan),
        Check::Status(old),
        Check::Unknown,
    ] = &checks.head.readable().collect::<Vec<_>>()[..]
    else {
        panic!("{:?}", checks.head.checks);
    };
    assert_eq!(build.conclusion, Some(CheckConclusion::Failure));
    let run = build
        .check_suite
        .as_ref()
        .unwrap()
        .workflow_run
        .as_ref()
        .unwrap();
    assert_eq!(run.run_id(), Some(9_000_000_001));
    assert_eq!(build.job_id(), Some(9_000_000_002));
    assert_eq!(scan.job_id(), None);
    assert!(matches!(checks.base, Fact::Known(None)));
    assert_eq!(scan.status, CheckStatus::Unknown("PONDERING".to_owned()));
    assert_eq!(old.context, "ci/old");
    let suite = checks.head.readable_suites().next().unwrap();
    assert_eq!(suite.check_runs.unwrap().total_count, 0);
}

#[tokio::test]
async fn no_ci_is_no_error() {
    let server = Scripted::start().await;
    let body = in_pull(&json!({
        "id": "PR_12", "number": 12, "url": "u", "state": "OPEN", "isDraft": false,
        "isCrossRepository": false, "baseRefName": "main", "headRefName": "door", "headRefOid": HEAD,
        "commits": { "nodes": [{ "commit": { "oid": HEAD, "statusCheckRollup": null, "checkSuites": null } }] }
    }));
    server.on_graphql("PullRequestChecks", Answer::json(200, &body));
    let checks = client(&server)
        .pull_request_checks(&repository(), 12)
        .await
        .unwrap();
    assert_eq!(checks.head.rollup, Fact::Known(None));
    assert!(checks.head.checks.is_empty() && checks.head.suites.is_empty());
    assert!(checks.head.withheld().is_empty());
}

/// The facts withheld from a head with only this commit, and whether the summary
/// fits.
async fn withheld(commit: &Value, errors: &Value) -> String {
    let server = Scripted::start().await;
    let mut body = in_pull(&json!({
        "id": "PR_12", "number": 12, "url": "u", "state": "OPEN", "isDraft": false,
        "isCrossRepository": false, "baseRefName": "main", "headRefName": "door", "headRefOid": HEAD,
        "commits": { "nodes": [{ "commit": commit }] }
    }));
    body["errors"] = errors.clone();
    server.on_graphql("PullRequestChecks", Answer::json(200, &body));
    let checks = client(&server)
        .pull_request_checks(&repository(), 12)
        .await
        .unwrap();
    let told = checks.head.withheld().into_iter();
    let told = told.chain(checks.head.contradiction());
    told.map(|part| format!("{part} [{}]", part.remedy.split([':', ';']).next().unwrap()))
        .collect::<Vec<_>>()
        .join("\n")
}

#[tokio::test]
async fn withheld_checks_are_reported() {
    const HEAD_PATH: [&str; 6] = [
        "repository",
        "pullRequest",
        "commits",
        "nodes",
        "0",
        "commit",
    ];
    let error = |kind: &str, below: &[&str]| {
        let path: Vec<&str> = HEAD_PATH.iter().chain(below).copied().collect();
        json!([{ "type": kind, "message": "Resource not accessible by personal access token", "path": path }])
    };
    let passed = json!({
        "__typename": "StatusContext", "id": "S", "context": "ci/old", "state": "SUCCESS",
        "description": null, "targetUrl": null, "createdAt": TIME, "isRequired": false
    });
    let commit = |state: &str, nodes: Value| json!({ "oid": HEAD, "statusCheckRollup": { "state": state, "contexts": one_page(&nodes) }, "checkSuites": one_page(&json!([])) });
    let null =
        json!({ "oid": HEAD, "statusCheckRollup": null, "checkSuites": one_page(&json!([])) });
    let suite = json!({ "oid": HEAD, "statusCheckRollup": null, "checkSuites": one_page(&json!([{
        "id": "CS", "databaseId": 1, "status": "QUEUED", "conclusion": null, "app": null,
        "workflowRun": null, "checkRuns": { "totalCount": 0 }
    }])) });
    let none = json!([]);
    let withheld_one = ["statusCheckRollup", "contexts", "nodes", "1"];
    let inside = ["statusCheckRollup", "contexts", "nodes", "1", "isRequired"];
    let cases = [
        ("honest", commit("SUCCESS", json!([passed])), none.clone()),
        (
            "a node",
            commit("SUCCESS", json!([passed, null])),
            error("FORBIDDEN", &withheld_one),
        ),
        (
            "in a node",
            commit("SUCCESS", json!([passed, null])),
            error("INSUFFICIENT_SCOPES", &inside),
        ),
        (
            "without a word",
            commit("SUCCESS", json!([passed, null])),
            none.clone(),
        ),
        ("no checks", null.clone(), none.clone()),
        ("rollup", null, error("FORBIDDEN", &["statusCheckRollup"])),
        (
            "time",
            commit("SUCCESS", json!([null])),
            json!([{ "message": "Something went wrong" }]),
        ),
        ("commit", Value::Null, error("FORBIDDEN", &[])),
        ("a suite of an app", suite.clone(), none.clone()),
        (
            "a suite",
            suite,
            error("FORBIDDEN", &["checkSuites", "nodes", "0", "workflowRun"]),
        ),
        ("failure", commit("FAILURE", json!([passed])), none.clone()),
        ("pending", commit("PENDING", json!([passed])), none),
    ];
    let mut shown = Vec::new();
    for (name, commit, errors) in cases {
        shown.push(format!("{name}: {}", withheld(&commit, &errors).await));
    }
    insta::assert_snapshot!(shown.join("\n"), @r#"
    honest: 
    a node: 1 of 2 checks of the head could not be read: Resource not accessible by personal access token [Use a token that may read checks]
    in a node: 1 of 2 checks of the head could not be read: Resource not accessible by personal access token [Add the scope that GitHub names to the token, as with `gh auth refresh --scopes`.]
    without a word: 1 of 2 checks of the head could not be read: GitHub left it out of its answer without a reason [Use a token that may read checks]
    no checks: 
    rollup: the summary of the head's checks could not be read: Resource not accessible by personal access token [Use a token that may read checks]
    time: 1 of 1 checks of the head could not be read: Something went wrong [Try again]
    commit: the summary of the head's checks could not be read: Resource not accessible by personal access token [Give the token read access to "Pull requests" and "Contents" of the repository, or use a classic one with the scope `repo`.]
    a suite of an app: 
    a suite: 1 of 1 check suites of the head could not be read: Resource not accessible by personal access token [Use a token that may read checks]
    failure: a check of the head could not be read: GitHub's summary of all checks is FAILURE, though every check that it lists passed [Ask again in a moment]
    pending: a check of the head could not be read: GitHub's summary of all checks is PENDING, though every check that it lists passed [Ask again in a moment]
    "#);
}

#[tokio::test]
async fn checks_of_the_base_come_along() {
    let server = Scripted::start().await;
    let past = one_page(&json!([
        {
            "__typename": "CheckRun", "databaseId": null, "name": "build", "status": "COMPLETED",
            "conclusion": "FAILURE", "startedAt": TIME, "completedAt": TIME,
            "detailsUrl": "https://github.com/octo/app/actions/runs/1/job/9000000003?pr=12",
            "checkSuite": { "workflowRun": { "workflow": { "name": "CI" } } }
        },
        { "__typename": "StatusContext", "context": "ci/old", "state": "SUCCESS", "description": null }
    ]));
    let body = in_pull(&json!({
        "id": "PR_12", "number": 12, "url": "u", "state": "OPEN", "isDraft": false,
        "isCrossRepository": true, "baseRefName": "main", "headRefName": "door", "headRefOid": HEAD,
        "baseRef": {
            "refUpdateRule": { "requiredStatusCheckContexts": ["build", null] },
            "target": { "history": { "nodes": [
                { "oid": MERGE, "statusCheckRollup": null },
                { "oid": BASE, "statusCheckRollup": { "contexts": past } }
            ] } }
        },
        "ownCommits": { "nodes": [{ "commit": { "parents": { "nodes": [
            { "oid": BASE, "statusCheckRollup": null }
        ] } } }] },
        "commits": { "nodes": [] }
    }));
    server.on_graphql("PullRequestChecks", Answer::json(200, &body));
    let checks = client(&server)
        .pull_request_checks_and_base(&repository(), 12)
        .await
        .unwrap();
    let Fact::Known(Some(base)) = checks.base else {
        panic!("{:?}", checks.base);
    };
    assert_eq!(base.began_at.unwrap().oid.as_str(), BASE);
    assert_eq!(base.required, Fact::Known(vec!["build".to_owned()]));
    assert!(base.commits[0].checks.is_empty());
    let [PastCheck::Run(build), PastCheck::Status(old)] = &base.commits[1].checks[..] else {
        panic!("{:?}", base.commits);
    };
    assert_eq!(
        (build.workflow(), build.job_id()),
        (Some("CI"), Some(9_000_000_003))
    );
    assert_eq!(old.context, "ci/old");
}

#[tokio::test]
async fn details_of_checks_that_are_gone_are_left_out() {
    let server = Scripted::start().await;
    let body = json!({ "data": {
        "runs": [null, { "__typename": "Issue" }, {
            "__typename": "CheckRun", "id": "CR_1", "text": null,
            "annotations": one_page(&json!([{
                "annotationLevel": "FAILURE", "path": "src/door.rs",
                "location": { "start": { "line": 7 } }, "title": "opens",
                "message": "it does not", "rawDetails": null
            }])),
            "steps": { "totalCount": 1, "nodes": [{
                "number": 1, "name": "Set up job", "status": "COMPLETED", "conclusion": "SUCCESS"
            }] }
        }],
        "suites": [{ "__typename": "CheckSuite", "id": "CS_1", "checkRuns": one_page(&json!([
            { "id": "CR_0", "name": "build", "completedAt": TIME }
        ])) }]
    } });
    server.on_graphql("CheckDetails", Answer::json(200, &body));
    let ids = ["CR_9", "I_1", "CR_1"].map(NodeId::new);
    let details = client(&server)
        .check_details(&ids, &[NodeId::new("CS_1")])
        .await
        .unwrap();
    assert_eq!(details.runs.len(), 1);
    assert_eq!(details.runs[0].annotations.items[0].line(), Some(7));
    assert_eq!(details.runs[0].steps[0].name, "Set up job");
    assert_eq!(details.suites[0].passed.items[0].name, "build");
}

#[tokio::test]
async fn a_tree_is_no_commit() {
    let server = Scripted::start().await;
    let body = json!({ "data": { "repository": { "object": { "__typename": "Tree" } } } });
    server.on_graphql("CommitChecks", Answer::json(200, &body));
    let commit = Oid::parse(HEAD).unwrap();
    let error = client(&server)
        .commit_checks(&repository(), &commit)
        .await
        .unwrap_err();
    assert!(
        matches!(error.kind(), GitHubErrorKind::NotFound { .. }),
        "{error}"
    );
}

fn readiness() -> Value {
    let own = json!({
        "id": "PR_12", "number": 12, "title": "Add a door", "url": "u", "state": "OPEN",
        "isDraft": false, "locked": false, "merged": false, "mergeable": "UNKNOWN",
        "mergeStateStatus": "BLOCKED", "reviewDecision": null, "author": null,
        "baseRefName": "main", "baseRefOid": BASE, "headRefName": "door", "headRefOid": HEAD,
        "isCrossRepository": false, "maintainerCanModify": true, "viewerCanMergeAsAdmin": false,
        "viewerCanUpdateBranch": false, "isMergeQueueEnabled": false, "isInMergeQueue": false,
        "mergeQueueEntry": null, "autoMergeRequest": null,
        "baseRef": { "branchProtectionRule": null, "refUpdateRule": {
            "pattern": "main", "requiredApprovingReviewCount": 2,
            "requiredStatusCheckContexts": ["build", null], "requiresCodeOwnerReviews": true,
            "requiresConversationResolution": true, "requiresLinearHistory": false,
            "requiresSignatures": false, "viewerCanPush": true
        } }
    });
    let lists = json!({
        "latestOpinionatedReviews": one_page(&json!([{
            "state": "APPROVED", "author": person("reviewer", "User"), "authorAssociation": "MEMBER",
            "authorCanPushToRepository": true, "submittedAt": TIME, "url": "u", "commit": null
        }])),
        "reviewRequests": one_page(&json!([
            { "asCodeOwner": true, "requestedReviewer": { "__typename": "Team", "combinedSlug": "octo/doors" } },
            { "asCodeOwner": false, "requestedReviewer": person("reviewer", "User") },
            { "asCodeOwner": false, "requestedReviewer": null }
        ])),
        "reviewThreads": one_page(&json!([{ "id": "T_1", "isResolved": false, "path": "a.rs", "line": null }])),
        "commits": { "totalCount": 1, "nodes": [{ "commit": {
            "oid": HEAD, "committedDate": TIME,
            "deployments": one_page(&json!([{ "environment": "staging", "latestEnvironment": null, "state": "ACTIVE", "createdAt": TIME }]))
        } }] },
        "ownCommits": one_page(&json!([
            { "commit": { "oid": HEAD, "signature": null } },
            { "commit": { "oid": MERGE, "signature": { "isValid": true, "state": "VALID" } } }
        ]))
    });
    super::with(own, &lists)
}

/// A part that may not be seen is named; the rest is an answer.
#[tokio::test]
async fn readiness_reports_what_could_not_be_read() {
    let server = Scripted::start().await;
    let body = json!({
        "data": { "repository": {
            "isArchived": false, "viewerPermission": "WRITE", "mergeCommitAllowed": true,
            "squashMergeAllowed": true, "rebaseMergeAllowed": false, "deleteBranchOnMerge": true,
            "pullRequest": readiness()
        } },
        "errors": [{
            "type": "FORBIDDEN", "message": "Resource not accessible by integration",
            "path": ["repository", "pullRequest", "baseRef", "branchProtectionRule"]
        }]
    });
    server.on_graphql("MergeReadiness", Answer::json(200, &body));
    let ready = client(&server)
        .merge_readiness(&repository(), 12)
        .await
        .unwrap();
    assert_eq!(ready.repository.viewer_permission, Some(Permission::Write));
    assert_eq!(ready.pull.mergeable, Mergeable::NotKnownYet);
    assert_eq!(ready.pull.merge_state_status, MergeState::Blocked);
    let Fact::Known(Some(base)) = ready.base_ref else {
        panic!("{:?}", ready.base_ref);
    };
    let visible = base.ref_update_rule.unwrap();
    assert_eq!(visible.required_approving_review_count, Some(2));
    let requested: Vec<Option<&str>> = ready
        .review_requests
        .items
        .iter()
        .map(|request| request.requested_reviewer.as_ref()?.name())
        .collect();
    assert_eq!(requested, [Some("octo/doors"), Some("reviewer"), None]);
    assert_eq!(ready.deployments.items[0].environment(), Some("staging"));
    assert_eq!(
        ready.deployments.items[0].state,
        Some(DeploymentState::Active)
    );
    assert!(ready.commits.items[0].signature.is_none());
    assert_eq!(ready.review_decision, Fact::Known(None));
    let withheld = ready.protection_unreadable.unwrap();
    insta::assert_snapshot!(format!("{withheld}\n{}", withheld.remedy), @r#"
    repository.pullRequest.baseRef.branchProtectionRule could not be read: Resource not accessible by integration
    Use a token of an administrator, with the permission "Administration" where it is fine-grained.
    "#);
}

fn thread_comment(id: u64) -> Value {
    json!({
        "id": format!("C_{id}"), "fullDatabaseId": id.to_string(), "state": "SUBMITTED",
        "author": null, "authorAssociation": "FIRST_TIMER", "body": format!("comment {id}"),
        "diffHunk": "@@ -1 +1 @@", "path": "a.rs", "line": 3, "startLine": null,
        "originalLine": 3, "originalStartLine": null, "outdated": false, "createdAt": TIME,
        "updatedAt": TIME, "url": "u", "isMinimized": false, "minimizedReason": null,
        "replyTo": null, "pullRequestReview": { "fullDatabaseId": "77" }
    })
}

fn page(nodes: &Value, next: Option<&str>) -> Value {
    json!({ "totalCount": 9, "pageInfo": { "hasNextPage": next.is_some(), "endCursor": next }, "nodes": nodes })
}

fn thread(id: &str, comments: &Value) -> Value {
    json!({
        "id": id, "isResolved": false, "isOutdated": false, "path": "a.rs", "line": 3,
        "startLine": null, "originalLine": 3, "originalStartLine": null, "diffSide": "RIGHT",
        "subjectType": "LINE", "viewerCanReply": true, "viewerCanResolve": true,
        "resolvedBy": null, "comments": comments,
        "opening": { "nodes": [{
            "reactionGroups": [{ "content": "THUMBS_UP", "reactors": { "totalCount": 2 } }]
        }] }
    })
}

/// Each list has its own pages, and a long thread has some too.
#[tokio::test]
async fn a_discussion_is_read_to_its_end() {
    let server = Scripted::start().await;
    let pull = |lists: Value| {
        let pull = json!({
            "id": "PR_12", "number": 12, "url": "u", "state": "OPEN", "headRefOid": HEAD,
            "author": person("octo", "User")
        });
        in_pull(&super::with(pull, &lists))
    };
    let review = json!({
        "id": "R_1", "fullDatabaseId": 77, "state": "COMMENTED", "author": person("helper-bot", "Bot"),
        "authorAssociation": "NONE", "body": "", "createdAt": TIME, "updatedAt": TIME,
        "submittedAt": null, "url": "u", "commit": { "oid": HEAD }
    });
    let comment = json!({
        "id": "IC_1", "fullDatabaseId": "1", "author": null, "authorAssociation": "OWNER",
        "body": "hello", "createdAt": TIME, "updatedAt": TIME, "url": "u", "reactionGroups": null
    });
    let first = pull(json!({
        "reviewThreads": page(&json!([thread("T_1", &page(&json!([thread_comment(1)]), Some("more")))]), Some("t2")),
        "reviews": page(&json!([review]), None),
        "comments": page(&json!([comment]), None)
    }));
    let second = pull(json!({
        "reviewThreads": page(&json!([thread("T_2", &page(&json!([thread_comment(3)]), None))]), None)
    }));
    for body in [first, second] {
        server.on_graphql("ReviewThreadsAndComments", Answer::json(200, &body));
    }
    let rest = json!({ "data": { "node": {
        "__typename": "PullRequestReviewThread", "comments": page(&json!([thread_comment(2)]), None)
    } } });
    server.on_graphql("ThreadComments", Answer::json(200, &rest));
    let discussion = client(&server)
        .review_discussion(&repository(), 12)
        .await
        .unwrap();
    let told: Vec<Vec<Option<u64>>> = discussion
        .threads
        .iter()
        .map(|thread| {
            thread
                .comments
                .iter()
                .map(|comment| comment.full_database_id)
                .collect()
        })
        .collect();
    assert_eq!(told, [vec![Some(1), Some(2)], vec![Some(3)]]);
    assert!(discussion.reviews[0].author.as_ref().unwrap().is_bot());
    assert_eq!(discussion.reviews[0].full_database_id, Some(77));
    assert_eq!(discussion.comments.len(), 1);
    assert!(!discussion.truncated);
    let reactions = &discussion.threads[0].reaction_groups[0];
    assert_eq!(
        (&reactions.content, reactions.count()),
        (&Reaction::ThumbsUp, 2)
    );
    assert_eq!(
        discussion.threads[0].comments[0].author_association,
        AuthorAssociation::FirstTimer
    );
    let variables = server.seen()[2].body["variables"].clone();
    assert_eq!(
        variables,
        json!({
            "owner": "octo", "name": "app", "number": 12, "threads": true, "threadsAfter": "t2",
            "reviews": false, "reviewsAfter": null, "comments": false, "commentsAfter": null
        })
    );
}

#[tokio::test]
async fn stacks_are_found_in_all_open_pull_requests() {
    let server = Scripted::start().await;
    let open = |number: u32, base: &str, head: &str| {
        json!({
            "id": format!("PR_{number}"), "number": number, "title": "t", "url": "u", "state": "OPEN",
            "isDraft": false, "isCrossRepository": false, "author": null, "baseRefName": base,
            "baseRefOid": BASE, "headRefName": head, "headRefOid": HEAD, "headRepository": null
        })
    };
    let body = |pulls: Value| json!({ "data": { "repository": { "defaultBranchRef": { "name": "main" }, "pullRequests": pulls } } });
    server.on_graphql(
        "OpenPullsWithHeads",
        Answer::json(
            200,
            &body(page(&json!([open(1, "main", "a")]), Some("two"))),
        ),
    );
    server.on_graphql(
        "OpenPullsWithHeads",
        Answer::json(200, &body(page(&json!([open(2, "a", "b")]), None))),
    );
    let open = client(&server).open_pulls(&repository()).await.unwrap();
    let ends: Vec<(&str, &str)> = open
        .pulls
        .iter()
        .map(|pull| (pull.base_ref_name.as_str(), pull.head_ref_name.as_str()))
        .collect();
    assert_eq!(ends, [("main", "a"), ("a", "b")]);
    assert_eq!(open.default_branch.as_deref(), Some("main"));
}

#[tokio::test]
async fn an_overview_distinguishes_a_squash_from_a_merge() {
    let server = Scripted::start().await;
    let pull = json!({
        "id": "PR_12", "number": 12, "title": "Add a door", "body": "Closes #7", "url": "u",
        "state": "MERGED", "isDraft": false, "author": person("octo", "User"),
        "authorAssociation": "OWNER", "createdAt": TIME, "updatedAt": TIME, "closedAt": TIME,
        "mergedAt": TIME, "mergedBy": null, "mergeCommit": { "oid": MERGE, "parents": { "totalCount": 1 } },
        "mergeable": "UNKNOWN", "mergeStateStatus": "UNKNOWN", "baseRefName": "main", "baseRefOid": BASE,
        "headRefName": "door", "headRefOid": HEAD, "headRepository": { "nameWithOwner": "octo/app" },
        "isCrossRepository": false, "maintainerCanModify": false, "additions": 10, "deletions": 2,
        "changedFiles": 2, "commits": { "totalCount": 3 },
        "labels": { "totalCount": 1, "nodes": [{ "name": "bug", "color": "ff0000", "description": null }] },
        "closingIssuesReferences": { "totalCount": 1, "nodes": [{
            "number": 7, "title": "No door", "url": "u", "state": "CLOSED", "repository": { "nameWithOwner": "octo/app" }
        }] },
        "suggestedReviewers": [null, { "isAuthor": true, "isCommenter": false, "reviewer": person("reviewer", "User") }],
        "files": page(&json!([{ "path": "a.rs", "additions": 10, "deletions": 0, "changeType": "ADDED" }]), Some("two"))
    });
    let later = super::with(
        pull.clone(),
        &json!({
            "files": page(&json!([{ "path": "b.rs", "additions": 0, "deletions": 2, "changeType": "DELETED" }]), None)
        }),
    );
    for pull in [pull, later] {
        let body = json!({ "data": { "repository": {
            "nameWithOwner": "octo/app", "defaultBranchRef": { "name": "main" }, "pullRequest": pull
        } } });
        server.on_graphql("PullRequestOverview", Answer::json(200, &body));
    }
    let overview = client(&server).overview(&repository(), 12).await.unwrap();
    assert_eq!(overview.pull.merge_commit.unwrap().parents(), 1);
    assert_eq!(overview.commits, 3);
    assert_eq!(overview.closes[0].number, 7);
    assert_eq!(overview.suggested_reviewers[0].reviewer.login, "reviewer");
    let files: Vec<(&str, &FileStatus)> = overview
        .files
        .items
        .iter()
        .map(|file| (file.path.as_str(), &file.change_type))
        .collect();
    assert_eq!(
        files,
        [("a.rs", &FileStatus::Added), ("b.rs", &FileStatus::Removed)]
    );
}

#[tokio::test]
async fn histories_are_asked_for_in_slots() {
    let server = Scripted::start().await;
    let history = json!({ "totalCount": 1, "nodes": [{
        "oid": HEAD, "committedDate": TIME, "author": { "name": "Octo", "user": person("octo", "User") }
    }] });
    let body = json!({ "data": { "repository": { "object": { "__typename": "Commit", "file0": history, "file1": null } } } });
    server.on_graphql("FileHistories", Answer::json(200, &body));
    let github = client(&server);
    let histories = github
        .file_histories(&repository(), "main", &["a.rs", "b.rs"])
        .await
        .unwrap();
    assert_eq!(histories.files[0].path, "a.rs");
    assert_eq!(histories.files[0].changes.len(), 1);
    assert!(histories.files[1].changes.is_empty());
    let variables = &server.seen()[0].body["variables"];
    assert_eq!(
        (&variables["path1"], &variables["has1"]),
        (&json!("b.rs"), &json!(true))
    );
    assert_eq!(
        (&variables["path2"], &variables["has2"]),
        (&json!(null), &json!(false))
    );
}

#[tokio::test]
async fn closed_pull_requests_come_with_their_files() {
    let server = Scripted::start().await;
    let body = json!({ "data": { "repository": { "pullRequests": one_page(&json!([{
        "number": 3, "title": "Old", "url": "u", "state": "MERGED", "mergedAt": TIME, "closedAt": TIME,
        "author": null, "labels": { "nodes": [{ "name": "bug" }] },
        "files": { "totalCount": 1, "nodes": [{ "path": "a.rs" }] }
    }])) } } });
    server.on_graphql("RecentlyClosedPulls", Answer::json(200, &body));
    let closed = client(&server)
        .recently_closed_pulls(&repository(), 2)
        .await
        .unwrap();
    assert_eq!(closed.pulls[0].paths, ["a.rs"]);
    assert_eq!(closed.pulls[0].labels, ["bug"]);
}

#[tokio::test]
async fn the_viewer_is_whose_token_it_is() {
    let server = Scripted::start().await;
    let body = json!({ "data": { "viewer": { "__typename": "Bot", "id": "B_1", "login": "ci-bot", "name": null } } });
    server.on_graphql("Viewer", Answer::json(200, &body));
    let viewer = client(&server).viewer().await.unwrap();
    assert_eq!(viewer.login, "ci-bot");
    assert!(viewer.is_bot());
}
