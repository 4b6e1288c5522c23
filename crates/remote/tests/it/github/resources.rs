//! REST responses: the requests, and how unusual responses are read.

use baton_remote::github::enums::{FileStatus, IssueState, MergeMethod, Permission};
use baton_remote::github::resources::branch_protection::Protection;
use baton_remote::github::resources::issues::IssueFilter;
use baton_remote::github::resources::rules::Rule;
use baton_remote::github::resources::search::SearchFor;
use serde_json::{Value, json};

use super::server::{Answer, Scripted};
use super::{HEAD, client, pull, repository, with};

const TIME: &str = "2031-05-06T07:08:09Z";

fn said(message: &str) -> Value {
    json!({ "message": message })
}

#[tokio::test]
async fn protection_that_may_not_be_seen_is_not_none() {
    const PROTECTION: &str = "GET /repos/octo/app/branches/main/protection";
    let server = Scripted::start().await;
    server.on_json("GET /repos/octo/app", &json!({ "full_name": "octo/app" }));
    for answer in [
        Answer::json(404, &said("Branch not protected")),
        Answer::json(404, &said("Not Found")),
        Answer::json(403, &said("Resource not accessible by integration")),
        Answer::json(
            403,
            &said("Upgrade to GitHub Pro or make this repository public to enable this feature."),
        ),
        Answer::json(
            200,
            &json!({
                "required_status_checks": { "strict": true, "contexts": ["build"], "checks": [{ "context": "build", "app_id": null }] },
                "required_pull_request_reviews": { "required_approving_review_count": 2, "require_code_owner_reviews": true },
                "enforce_admins": { "enabled": true }, "required_signatures": null, "restrictions": null
            }),
        ),
    ] {
        server.on(PROTECTION, answer);
    }
    let github = client(&server);
    let mut kinds = Vec::new();
    for _ in 0..5 {
        kinds.push(
            match github
                .branch_protection(&repository(), "main")
                .await
                .unwrap()
            {
                Protection::Unprotected => "none".to_owned(),
                Protection::Hidden(_) => "hidden".to_owned(),
                Protection::Rules(rules) => {
                    let reviews = rules.required_pull_request_reviews.unwrap();
                    let checks = rules.required_status_checks.unwrap();
                    format!(
                        "{} reviews, strict {}, {:?}, signatures {}",
                        reviews.required_approving_review_count,
                        checks.strict,
                        checks.checks,
                        rules.required_signatures.enabled
                    )
                }
            },
        );
    }
    insta::assert_snapshot!(kinds.join("\n"), @r#"
    none
    hidden
    hidden
    none
    2 reviews, strict true, [RequiredCheck { context: "build", app_id: None }], signatures false
    "#);
}

#[tokio::test]
async fn rules_that_are_not_understood_are_kept() {
    let server = Scripted::start().await;
    let rules = json!([
        { "type": "pull_request", "ruleset_id": 1, "ruleset_source_type": "Organization", "ruleset_source": "octo",
          "parameters": { "required_approving_review_count": 1, "require_last_push_approval": true,
                          "required_review_thread_resolution": true, "allowed_merge_methods": ["squash", "fold"] } },
        { "type": "required_status_checks", "ruleset_id": 1,
          "parameters": { "required_status_checks": [{ "context": "build", "integration_id": 15368 }], "strict_required_status_checks_policy": true } },
        { "type": "required_status_checks", "ruleset_id": 2, "parameters": { "required_status_checks": "all" } },
        { "type": "required_signatures", "ruleset_id": 2 },
        { "type": "merge_queue", "parameters": { "merge_method": "SQUASH" } },
        { "type": "required_moon_phase", "parameters": { "phase": "full" } }
    ]);
    server.on_json(
        "GET /repos/octo/app/rules/branches/release%2F1?per_page=100",
        &rules,
    );
    let github = client(&server);
    let rules = github
        .branch_rules(&repository(), "release/1")
        .await
        .unwrap()
        .items;
    let Rule::PullRequest(reviews) = &rules[0].rule else {
        panic!("{rules:?}")
    };
    assert_eq!(reviews.required_approving_review_count, 1);
    assert_eq!(
        reviews.allowed_merge_methods[1],
        MergeMethod::Unknown("fold".to_owned())
    );
    assert_eq!(rules[0].source.as_deref(), Some("octo"));
    let Rule::RequiredStatusChecks(checks) = &rules[1].rule else {
        panic!("{rules:?}")
    };
    assert_eq!(checks.checks[0].app_id, Some(15368));
    assert!(checks.strict);
    assert!(matches!(&rules[2].rule, Rule::Other { kind, .. } if kind == "required_status_checks"));
    assert!(matches!(rules[3].rule, Rule::RequiredSignatures));
    assert!(
        matches!(&rules[4].rule, Rule::MergeQueue(queue) if queue.merge_method == Some(MergeMethod::Squash))
    );
    assert!(matches!(&rules[5].rule, Rule::Other { kind, .. } if kind == "required_moon_phase"));
}

#[tokio::test]
async fn code_owners_are_looked_for_in_three_places() {
    let server = Scripted::start().await;
    server.on_json("GET /repos/octo/app", &json!({ "full_name": "octo/app" }));
    let missing = Answer::json(404, &said("Not Found"));
    server.on(
        "GET /repos/octo/app/contents/.github%2FCODEOWNERS?ref=main",
        missing.clone(),
    );
    server.on("GET /repos/octo/app/contents/CODEOWNERS?ref=main", missing);
    let file = Answer::text(
        200,
        "application/vnd.github.raw+json",
        "* @octo/doors\n\u{fffd}",
    );
    server.on(
        "GET /repos/octo/app/contents/docs%2FCODEOWNERS?ref=main",
        file,
    );
    let github = client(&server);
    let owners = github
        .code_owners(&repository(), "main")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (owners.path.as_str(), owners.text.as_str()),
        ("docs/CODEOWNERS", "* @octo/doors\n\u{fffd}")
    );
}

#[tokio::test]
async fn a_server_without_stacks_has_none() {
    let server = Scripted::start().await;
    server.on_json("GET /repos/octo/app", &json!({ "full_name": "octo/app" }));
    let route = "GET /repos/octo/app/stacks?pull_request=12&per_page=1";
    server.on(route, Answer::json(404, &said("Not Found")));
    let member = json!({ "number": 12, "state": "open", "draft": false, "merged_at": null, "head": { "ref": "door", "sha": HEAD } });
    let stack =
        json!({ "number": 4, "base": { "ref": "main" }, "open": true, "pull_requests": [member] });
    server.on_json(route, &json!([stack]));
    let other = with(stack.clone(), &json!({ "pull_requests": [] }));
    server.on_json(route, &json!([other]));
    let github = client(&server);
    let mut found = Vec::new();
    for _ in 0..3 {
        let stack = github.native_stack(&repository(), 12).await.unwrap();
        found.push(stack.map(|stack| stack.number));
    }
    assert_eq!(found, [None, Some(4), None]);
}

#[tokio::test]
async fn lists_of_issues_have_no_pull_requests() {
    let server = Scripted::start().await;
    let issue = json!({
        "number": 7, "node_id": "I_7", "html_url": "u", "state": "open", "title": "No door", "body": null,
        "user": { "login": "octo", "type": "User" }, "labels": [], "created_at": TIME, "updated_at": TIME,
        "closed_at": null
    });
    let pull = with(
        issue.clone(),
        &json!({ "pull_request": { "merged_at": null } }),
    );
    let route = "GET /repos/octo/app/issues?state=open&labels=bug%2Cbig&per_page=100";
    server.on_json(route, &json!([issue, pull]));
    let filter = IssueFilter {
        state: Some(IssueState::Open),
        labels: vec!["bug", "big"],
        since: None,
    };
    let issues = client(&server)
        .issues(&repository(), &filter)
        .await
        .unwrap();
    assert_eq!(issues.items.len(), 1);
}

#[tokio::test]
async fn words_of_a_search_stay_words() {
    let server = Scripted::start().await;
    let long = "x".repeat(300);
    let query = "repo%3Aocto%2Fapp+is%3Apr+%22repo%3Aother%2Fsecret%22+%22a+OR+b%22";
    let route = format!("GET /search/issues?q={query}&per_page=5");
    server.on_json(
        &route,
        &json!({ "total_count": 0, "incomplete_results": false, "items": [] }),
    );
    let github = client(&server);
    let words = ["repo:other/secret\"", "a OR b", &long, "\"\""];
    let found = github
        .search_issues(&repository(), SearchFor::PullRequests, &words, 5)
        .await
        .unwrap();
    assert_eq!(found.total_count, 0);
}

#[tokio::test]
async fn permissions_use_the_role_name() {
    const PERMISSION: &str = "GET /repos/octo/app/collaborators/reviewer/permission";
    let server = Scripted::start().await;
    server.on_json("GET /repos/octo/app", &json!({ "full_name": "octo/app" }));
    server.on_json(
        PERMISSION,
        &json!({ "permission": "write", "role_name": "maintain", "user": null }),
    );
    server.on_json(
        PERMISSION,
        &json!({ "permission": "write", "role_name": "door keeper", "user": null }),
    );
    server.on(
        PERMISSION,
        Answer::json(404, &said("reviewer is not a user")),
    );
    let github = client(&server);
    let mut permissions = Vec::new();
    for _ in 0..3 {
        permissions.push(
            github
                .permission_of(&repository(), "reviewer")
                .await
                .unwrap(),
        );
    }
    assert_eq!(
        permissions,
        [Permission::Maintain, Permission::Write, Permission::None]
    );
}

#[tokio::test]
async fn a_branch_that_is_not_there_has_no_head() {
    let server = Scripted::start().await;
    server.on_json("GET /repos/octo/app", &json!({ "full_name": "octo/app" }));
    server.on(
        "GET /repos/octo/app/git/ref/heads%2Fdoor",
        Answer::json(404, &said("Not Found")),
    );
    let found = json!({ "ref": "refs/heads/main", "object": { "type": "commit", "sha": HEAD } });
    server.on_json("GET /repos/octo/app/git/ref/heads%2Fmain", &found);
    let github = client(&server);
    assert_eq!(
        github.branch_head(&repository(), "door").await.unwrap(),
        None
    );
    let head = github
        .branch_head(&repository(), "main")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(head.as_str(), HEAD);
}

#[tokio::test]
async fn what_is_missing_in_an_answer_has_a_meaning() {
    let server = Scripted::start().await;
    let stack =
        json!({ "number": 4, "position": 2, "size": 3, "base": { "ref": "main", "sha": HEAD } });
    let rich = with(
        pull(12),
        &json!({ "mergeable": null, "mergeable_state": "unknown", "stack": stack, "new_field": [1], "requested_reviewers": null }),
    );
    server.on_json("GET /repos/octo/app/pulls/12", &rich);
    let pull = client(&server)
        .pull_request(&repository(), 12)
        .await
        .unwrap();
    assert_eq!(
        (pull.body.as_str(), pull.mergeable, pull.draft),
        ("", None, false)
    );
    assert_eq!(pull.stack.unwrap().position, Some(2));
    assert!(pull.user.is_none() && pull.head.repo.is_none());
    assert_eq!(pull.base.repo.unwrap().parse(), Some(repository()));
}

/// A commit id that is none never gets as far as a command line.
#[tokio::test]
async fn a_commit_id_is_checked() {
    let server = Scripted::start().await;
    let bad = json!({ "head": { "ref": "door", "sha": "--upload-pack=evil", "repo": null } });
    server.on_json("GET /repos/octo/app/pulls/12", &with(pull(12), &bad));
    let error = client(&server)
        .pull_request(&repository(), 12)
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("expected a full commit id"),
        "{error}"
    );
}

#[tokio::test]
async fn comparisons_and_files_are_read() {
    let server = Scripted::start().await;
    let commit = json!({
        "sha": HEAD, "commit": { "message": "Add a door", "author": { "name": "Octo", "email": "octo@example.com", "date": TIME }, "committer": null },
        "author": {}, "parents": [{ "sha": HEAD }]
    });
    let file = json!({ "filename": "b.rs", "previous_filename": "a.rs", "status": "renamed", "additions": 0, "deletions": 0, "changes": 0 });
    let comparison = json!({
        "status": "diverged", "ahead_by": 1, "behind_by": 2, "total_commits": 1,
        "merge_base_commit": { "sha": HEAD }, "commits": [commit], "files": [file]
    });
    server.on_json(
        "GET /repos/octo/app/compare/main...octo%3Adoor",
        &comparison,
    );
    let github = client(&server);
    let comparison = github
        .compare(&repository(), "main", "octo:door")
        .await
        .unwrap();
    assert_eq!((comparison.ahead_by, comparison.behind_by), (1, 2));
    assert!(comparison.commits[0].author.is_none());
    assert_eq!(comparison.files[0].status, FileStatus::Renamed);
    assert_eq!(comparison.files[0].previous_path.as_deref(), Some("a.rs"));
}

#[tokio::test]
async fn rate_limits_can_be_asked_for() {
    let server = Scripted::start().await;
    let body = json!({ "resources": { "core": { "limit": 5000, "used": 1, "remaining": 4999, "reset": 2_000_000_000 } } });
    server.on_json("GET /rate_limit", &body);
    let allowances = client(&server).allowances().await.unwrap();
    assert_eq!(allowances["core"].reset.as_second(), 2_000_000_000);
}
