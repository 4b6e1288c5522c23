//! The client against GitHub's own descriptions.

use std::sync::LazyLock;

use baton_protocol::Oid;
use baton_remote::github::enums::{MergeMethod, Reaction};
use baton_remote::github::resources::issues::{IssueChange, IssueFilter, NewIssue, StateReason};
use baton_remote::github::resources::labels::Label;
use baton_remote::github::resources::merging::MergeRequest;
use baton_remote::github::resources::pulls::{NewPullRequest, PullFilter, PullRequestChange};
use baton_remote::github::resources::reactions::Reactable;
use baton_remote::github::resources::reviews::{NewReview, Verdict};
use baton_remote::github::resources::search::SearchFor;
use baton_remote::github::{
    ArchiveLimits, DOCUMENTS, ENDPOINTS, Endpoint, GitHub, GitHubError, Verb,
};
use baton_testkit::github::{self, Contract};
use baton_testkit::missing;
use serde_json::Value;

use super::server::{Answer, Scripted};
use super::{HEAD, client, repository};

/// Reading it takes two seconds, so all tests share one. `None` where the
/// peers are not installed.
pub(crate) static CONTRACT: LazyLock<Option<Contract>> = LazyLock::new(Contract::find);

/// `None` after a loud line, also in the tests that come after the first.
fn contract() -> Option<&'static Contract> {
    if CONTRACT.is_none() {
        missing("github");
    }
    CONTRACT.as_ref()
}

#[test]
fn every_document_fits_the_schema() {
    let Some(contract) = contract() else { return };
    for (name, text) in DOCUMENTS {
        let problems = contract.graphql.check_document(text);
        assert!(problems.is_empty(), "{name}: {problems:#?}");
    }
}

#[test]
fn every_endpoint_is_one_of_github() {
    let Some(contract) = contract() else { return };
    for Endpoint { verb, template } in ENDPOINTS {
        let known = contract.rest.has(&verb.to_string(), template);
        assert!(known, "GitHub has no {verb} {template}");
    }
}

/// GitHub's description comes with example answers. Each is given to the call
/// that asks for it.
#[tokio::test]
async fn examples_of_github_are_understood() {
    let Some(contract) = contract() else { return };
    let examples = contract.rest.examples();
    let mut tried = 0;
    for endpoint in ENDPOINTS {
        for (method, path, status, example) in &examples {
            let fits = *method == endpoint.verb.to_string() && path == endpoint.template;
            if !fits || !(200..300).contains(status) {
                continue;
            }
            tried += 1;
            let server = Scripted::start().await;
            server.otherwise(Answer::json(*status, example));
            let outcome = call(&client(&server), endpoint).await;
            // Some examples do not match the description itself.
            if let Err(error) = outcome
                && fits_its_description(contract, method, path, *status, example)
            {
                panic!("{method} {path}: {error}");
            }
        }
    }
    assert!(tried >= 40, "only {tried} examples were tried");
}

fn fits_its_description(
    contract: &Contract,
    method: &str,
    path: &str,
    status: u16,
    example: &Value,
) -> bool {
    let body = example.to_string();
    let answer = github::Answer {
        status,
        content_type: "application/json",
        body: body.as_bytes(),
    };
    contract
        .rest
        .check_response(method, path, answer)
        .is_empty()
}

async fn call(github: &GitHub, endpoint: &Endpoint) -> Result<(), GitHubError> {
    let place = endpoint
        .template
        .trim_start_matches("/repos/{owner}/{repo}");
    match endpoint.verb {
        Verb::Get if place.starts_with("/actions") => read_actions(github, place).await,
        Verb::Get if place.starts_with("/commits") => read_commits(github, place).await,
        Verb::Get if place.starts_with("/pulls") => read_pulls(github, place).await,
        Verb::Get => read(github, place).await,
        _ if place.starts_with("/pulls") => change_pulls(github, place).await,
        _ => change(github, place).await,
    }
}

async fn read_actions(github: &GitHub, place: &str) -> Result<(), GitHubError> {
    let repo = &repository();
    match place {
        "/actions/runs" => drop(github.workflow_runs(repo, &head()).await?),
        "/actions/runs/{run_id}" => drop(github.workflow_run(repo, 1).await?),
        "/actions/runs/{run_id}/jobs" => drop(github.jobs(repo, 1).await?),
        "/actions/runs/{run_id}/artifacts" => drop(github.artifacts(repo, 1).await?),
        "/actions/jobs/{job_id}" => drop(github.job(repo, 1).await?),
        "/actions/jobs/{job_id}/logs" => {
            github.job_log(repo, 1, 1 << 20, &mut Vec::new()).await?;
        }
        "/actions/runs/{run_id}/logs" => {
            github.run_logs(repo, 1, ArchiveLimits::default()).await?;
        }
        "/actions/artifacts/{artifact_id}/{archive_format}" => {
            github.artifact(repo, 1, ArchiveLimits::default()).await?;
        }
        other => panic!("no call for {other}"),
    }
    Ok(())
}

async fn read_commits(github: &GitHub, place: &str) -> Result<(), GitHubError> {
    let repo = &repository();
    match place {
        "/commits" => drop(github.commits_touching(repo, "main", "a.rs", 5).await?),
        "/commits/{ref}" => drop(github.commit(repo, "main").await?),
        "/commits/{commit_sha}/pulls" => {
            drop(github.pull_requests_with_commit(repo, &head()).await?);
        }
        "/commits/{ref}/status" => drop(github.commit_statuses(repo, "main").await?),
        "/commits/{ref}/check-runs" => drop(github.check_runs(repo, "main").await?),
        "/commits/{ref}/check-suites" => drop(github.check_suites(repo, "main").await?),
        other => panic!("no call for {other}"),
    }
    Ok(())
}

async fn read_pulls(github: &GitHub, place: &str) -> Result<(), GitHubError> {
    let repo = &repository();
    match place {
        "/pulls" => drop(github.pull_requests(repo, PullFilter::All).await?),
        "/pulls/{pull_number}" => drop(github.pull_request(repo, 1).await?),
        "/pulls/{pull_number}/files" => drop(github.changed_files(repo, 1).await?),
        "/pulls/{pull_number}/commits" => drop(github.pull_request_commits(repo, 1).await?),
        "/pulls/{pull_number}/reviews" => drop(github.reviews(repo, 1).await?),
        "/pulls/{pull_number}/merge-async/{uuid}" => {
            drop(github.background_merge(repo, 1, "u").await?);
        }
        "/pulls/{pull_number}/comments" => drop(github.review_comments(repo, 1).await?),
        other => panic!("no call for {other}"),
    }
    Ok(())
}

async fn read(github: &GitHub, place: &str) -> Result<(), GitHubError> {
    let repo = &repository();
    match place {
        "" => drop(github.repository(repo).await?),
        "/rate_limit" => drop(github.allowances().await?),
        "/search/issues" => {
            drop(
                github
                    .search_issues(repo, SearchFor::Issues, &["door"], 5)
                    .await?,
            );
        }
        // An app asks for it by itself.
        "/installation" => {}
        "/collaborators/{username}/permission" => {
            github.permission_of(repo, "octo").await?;
        }
        "/contents/{path}" => drop(github.text_file(repo, "main", "a.txt").await?),
        "/compare/{basehead}" => drop(github.compare(repo, "main", "door").await?),
        "/check-runs/{check_run_id}/annotations" => drop(github.annotations(repo, 1).await?),
        "/branches/{branch}" => drop(github.branch(repo, "main").await?),
        "/branches/{branch}/protection" => drop(github.branch_protection(repo, "main").await?),
        "/rules/branches/{branch}" => drop(github.branch_rules(repo, "main").await?),
        "/rulesets/{ruleset_id}" => drop(github.ruleset(repo, 1).await?),
        "/issues" => drop(github.issues(repo, &IssueFilter::default()).await?),
        "/issues/{issue_number}" => drop(github.issue(repo, 1).await?),
        "/issues/{issue_number}/comments" => drop(github.issue_comments(repo, 1).await?),
        "/labels" => drop(github.labels(repo).await?),
        "/git/ref/{ref}" => drop(github.branch_head(repo, "main").await?),
        "/stacks" => drop(github.native_stack(repo, 1).await?),
        other => panic!("no call for {other}"),
    }
    Ok(())
}

async fn change_pulls(github: &GitHub, place: &str) -> Result<(), GitHubError> {
    let (repo, head) = (&repository(), &head());
    match place {
        "/pulls" => {
            let new = NewPullRequest {
                title: "t",
                body: "b",
                head: "h",
                base: "main",
                draft: true,
            };
            drop(github.create_pull_request(repo, &new).await?);
        }
        "/pulls/{pull_number}" => {
            let change = PullRequestChange {
                open: Some(true),
                ..PullRequestChange::default()
            };
            drop(github.update_pull_request(repo, 1, &change).await?);
        }
        "/pulls/{pull_number}/merge" => {
            let merge = MergeRequest {
                head,
                method: Some(MergeMethod::Rebase),
                title: Some("t"),
                message: Some("m"),
            };
            drop(github.merge_pull_request(repo, 1, &merge).await?);
        }
        "/pulls/{pull_number}/merge-async" => {
            let merge = MergeRequest {
                head,
                method: Some(MergeMethod::Squash),
                title: Some("t"),
                message: Some("m"),
            };
            drop(github.merge_in_background(repo, 1, &merge).await?);
        }
        "/pulls/{pull_number}/update-branch" => drop(github.update_branch(repo, 1, head).await?),
        "/pulls/{pull_number}/requested_reviewers" => {
            drop(github.request_reviewers(repo, 1, &["reviewer"]).await?);
        }
        "/pulls/{pull_number}/reviews" => {
            let review = NewReview {
                commit: head,
                verdict: Verdict::Approve,
                body: "b",
                comments: Vec::new(),
            };
            drop(github.create_review(repo, 1, &review).await?);
        }
        "/pulls/{pull_number}/comments/{comment_id}/replies" => {
            drop(github.reply_to_review_comment(repo, 1, 2, "b").await?);
        }
        "/pulls/comments/{comment_id}/reactions" => {
            github
                .react(repo, Reactable::ReviewComment(1), &Reaction::ThumbsUp)
                .await?;
        }
        other => panic!("no call for {other}"),
    }
    Ok(())
}

async fn change(github: &GitHub, place: &str) -> Result<(), GitHubError> {
    let repo = &repository();
    match place {
        // An app asks for it by itself.
        "/app/installations/{installation_id}/access_tokens" => {}
        "/actions/runs/{run_id}/rerun" => github.rerun(repo, 1).await?,
        "/actions/runs/{run_id}/rerun-failed-jobs" => github.rerun_failed_jobs(repo, 1).await?,
        "/issues" => {
            let new = NewIssue {
                title: "t",
                body: "b",
                labels: vec!["bug"],
            };
            drop(github.create_issue(repo, &new).await?);
        }
        "/issues/{issue_number}" => {
            let change = IssueChange {
                labels: Some(vec!["bug"]),
                ..IssueChange::default()
            };
            drop(github.update_issue(repo, 1, &change).await?);
            drop(
                github
                    .close_issue(repo, 1, &StateReason::NotPlanned)
                    .await?,
            );
            drop(github.reopen_issue(repo, 1).await?);
        }
        "/issues/{issue_number}/comments" => drop(github.create_issue_comment(repo, 1, "b").await?),
        "/issues/comments/{comment_id}" => drop(github.update_issue_comment(repo, 1, "b").await?),
        "/issues/comments/{comment_id}/reactions" => {
            github
                .react(repo, Reactable::IssueComment(1), &Reaction::Eyes)
                .await?;
        }
        "/issues/{issue_number}/labels" => drop(github.add_labels(repo, 1, &["bug"]).await?),
        "/issues/{issue_number}/labels/{name}" => github.remove_label(repo, 1, "bug").await?,
        "/labels" => {
            let label = Label {
                name: "bug".to_owned(),
                color: Some("ff0000".to_owned()),
                description: None,
            };
            github.ensure_label(repo, &label).await?;
        }
        "/git/refs/{ref}" => github.delete_branch(repo, "door").await?,
        other => panic!("no call for {other}"),
    }
    Ok(())
}

fn head() -> Oid {
    Oid::parse(HEAD).unwrap()
}
