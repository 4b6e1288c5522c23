//! Every pull-request tool with every way in which GitHub refuses facts: no refusal makes a yes.
//!
//! `BATON_SHOW_MATRIX=1 cargo test -p baton-ops --test it pulls::refusals -- --nocapture` prints
//! the matrix.

mod claims;
mod scene;

use std::fmt::Write as _;
use std::time::Duration;

use baton_ops::OpError;
use baton_ops::pulls;
use baton_protocol::tools::ErrorResponse;
use baton_testkit::world::{Withheld, World};
use serde_json::Value;

use super::world::ToolCaller;
use scene::RedPull;

const HEAD: &str = "repository.pullRequest.commits.nodes.*.commit";
const SLOW: Duration = Duration::from_millis(150);

/// A kind of token or server, and what follows from it.
type Refusal = (&'static str, Vec<Withheld>);

#[expect(clippy::too_many_lines, reason = "one table")]
fn refusals() -> Vec<Refusal> {
    use Withheld::{
        BadGateway, Field, FieldScope, NotFound, Path, PathScope, Saml, Silently, SingleSignOn,
        Slow, Stale, TooFast, UnknownField,
    };
    let fields = |names: &[&'static str]| names.iter().copied().map(Field).collect::<Vec<_>>();
    vec![
        (
            "fine-grained: no checks",
            vec![
                Field(
                    "repository.pullRequest.commits.nodes.*.commit.statusCheckRollup.contexts.nodes.*",
                ),
                Field("repository.pullRequest.commits.nodes.*.commit.checkSuites"),
                Field("repository.pullRequests.nodes.*.statusCheckRollup"),
                Path("/check-runs"),
                Path("/actions/"),
            ],
        ),
        (
            "fine-grained: no commit statuses",
            vec![
                Field("repository.pullRequest.commits.nodes.*.commit.statusCheckRollup"),
                Field("repository.pullRequests.nodes.*.statusCheckRollup"),
                Path("/status"),
            ],
        ),
        (
            "fine-grained: no commits",
            fields(&[HEAD, "repository.pullRequest.ownCommits"]),
        ),
        (
            "fine-grained: no administration",
            vec![
                Field("repository.pullRequest.baseRef.branchProtectionRule"),
                Path("/protection"),
                Path("/rules/"),
            ],
        ),
        (
            "fine-grained: no rules at all",
            vec![
                Field("repository.pullRequest.baseRef.branchProtectionRule"),
                Field("repository.pullRequest.baseRef.refUpdateRule"),
                Path("/rules/"),
                Path("/branches/"),
            ],
        ),
        (
            "fine-grained: no base",
            fields(&["repository.pullRequest.baseRef"]),
        ),
        (
            "fine-grained: no reviews",
            fields(&[
                "repository.pullRequest.latestOpinionatedReviews",
                "repository.pullRequest.reviewDecision",
                "repository.pullRequest.reviews",
                "repository.pullRequests.nodes.*.reviewDecision",
                "repository.pullRequests.nodes.*.latestReviews",
            ]),
        ),
        (
            "fine-grained: no threads",
            fields(&[
                "repository.pullRequest.reviewThreads",
                "repository.pullRequest.comments",
            ]),
        ),
        (
            "fine-grained: no single thread",
            fields(&[
                "repository.pullRequest.reviewThreads.nodes.*",
                "repository.pullRequest.comments.nodes.*",
                "repository.pullRequest.reviews.nodes.*",
            ]),
        ),
        (
            "threads without a word",
            vec![
                Silently("repository.pullRequest.reviewThreads.nodes"),
                Silently("repository.pullRequest.latestOpinionatedReviews.nodes"),
                Silently("repository.pullRequest.comments.nodes"),
            ],
        ),
        (
            "fine-grained: no issues",
            fields(&[
                "repository.pullRequest.labels",
                "repository.pullRequest.closingIssuesReferences",
                "repository.pullRequests.nodes.*.labels",
                "repository.item0",
            ]),
        ),
        (
            "fine-grained: no people",
            fields(&[
                "repository.pullRequest.suggestedReviewers",
                "repository.object.file0",
                "repository.pullRequests.nodes.*.author",
                "repository.open",
            ]),
        ),
        (
            "fine-grained: no files",
            vec![
                Field("repository.pullRequest.files"),
                Field("repository.workflows"),
                Field("repository.owners0"),
                Path("/files"),
                Path("/contents/"),
            ],
        ),
        (
            "fine-grained: no pull request",
            fields(&["repository.pullRequest"]),
        ),
        ("fine-grained: no REST", vec![Path("/repos/")]),
        (
            "single sign-on: no checks, no rules",
            vec![
                Saml("repository.pullRequest.commits.nodes.*.commit.statusCheckRollup"),
                Saml("repository.pullRequests.nodes.*.statusCheckRollup"),
                Saml("repository.pullRequest.baseRef"),
                SingleSignOn("/check-runs"),
                SingleSignOn("/rules/"),
            ],
        ),
        (
            "single sign-on: nothing",
            vec![Saml("repository"), SingleSignOn("/repos/")],
        ),
        (
            "classic: no read:org",
            vec![FieldScope {
                field: "combinedSlug",
                scope: "read:org",
            }],
        ),
        (
            "classic: no scopes for checks and rules",
            vec![
                FieldScope {
                    field: "statusCheckRollup",
                    scope: "repo:status",
                },
                FieldScope {
                    field: "reviewDecision",
                    scope: "repo",
                },
                PathScope {
                    path: "/rules/",
                    scope: "repo",
                },
                PathScope {
                    path: "/branches/",
                    scope: "repo",
                },
            ],
        ),
        (
            "single sign-on",
            vec![SingleSignOn("/repos/"), Field("repository")],
        ),
        ("single sign-on for REST", vec![SingleSignOn("/")]),
        (
            "old server: no queue, no threads' state",
            vec![
                UnknownField("isMergeQueueEnabled", "PullRequest"),
                UnknownField("isInMergeQueue", "PullRequest"),
                UnknownField("mergeQueueEntry", "PullRequest"),
                UnknownField("isMinimized", "Comment"),
                NotFound("/rules/"),
                NotFound("/stacks"),
            ],
        ),
        (
            "old server: no newer rules",
            vec![
                UnknownField("requireLastPushApproval", "BranchProtectionRule"),
                UnknownField("lockBranch", "BranchProtectionRule"),
                UnknownField("requiresDeployments", "BranchProtectionRule"),
                UnknownField("latestOpinionatedReviews", "PullRequest"),
                UnknownField("isRequired", "CheckRun"),
            ],
        ),
        (
            "old server: no decision, no rollup",
            vec![
                UnknownField("reviewDecision", "PullRequest"),
                UnknownField("statusCheckRollup", "Commit"),
                UnknownField("reviewThreads", "PullRequest"),
            ],
        ),
        (
            "compare and checks break",
            vec![
                BadGateway("/compare/"),
                BadGateway("/check-runs"),
                BadGateway("/rules/"),
            ],
        ),
        (
            "checks break in GraphQL",
            vec![BadGateway("GRAPHQL PullRequestChecks")],
        ),
        ("GraphQL breaks", vec![BadGateway("GRAPHQL")]),
        ("secondary limit on REST", vec![TooFast("/repos/", 403)]),
        ("secondary limit on GraphQL", vec![TooFast("GRAPHQL", 429)]),
        ("slow", vec![Slow("GRAPHQL", SLOW), Slow("/repos/", SLOW)]),
        (
            "stale",
            vec![
                Stale("repository.pullRequest.mergeable", "UNKNOWN"),
                Stale("repository.pullRequest.mergeStateStatus", "UNKNOWN"),
                Stale("repository.pullRequests.nodes.*.mergeable", "UNKNOWN"),
            ],
        ),
    ]
}

/// One cell of the matrix.
struct Row {
    tool: &'static str,
    refusal: &'static str,
    outcome: String,
    wrong: Vec<String>,
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the matrix is printed only where a person asks for it"
)]
fn no_refusal_makes_a_yes() {
    let world = World::start();
    let scene = RedPull::new(&world);
    let mut rows = Vec::new();
    let tools: Vec<&'static str> = pulls::operations()
        .iter()
        .map(|one| one.meta.name)
        .collect();
    let honest = ToolCaller::new(&world);
    let baselines: Vec<Result<Value, OpError>> = tools
        .iter()
        .map(|tool| honest.call(tool, &scene.input(tool)))
        .collect();
    for (refusal, what) in refusals() {
        let caller = ToolCaller::withholding(&world, &what);
        for (tool, baseline) in tools.iter().zip(&baselines) {
            let answer = caller.call(tool, &scene.input(tool));
            let (outcome, wrong) = judged(tool, baseline, answer);
            rows.push(Row {
                tool,
                refusal,
                outcome,
                wrong,
            });
        }
    }
    if std::env::var_os("BATON_SHOW_MATRIX").is_some() {
        println!("{}", table(&rows));
    }
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| !row.wrong.is_empty())
        .map(|row| {
            format!(
                "{} × {}:\n  {}",
                row.tool,
                row.refusal,
                row.wrong.join("\n  ")
            )
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} cells:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert_eq!(rows.len(), tools.len() * refusals().len());
}

/// What came of a call, and what is wrong with that.
fn judged(
    tool: &str,
    baseline: &Result<Value, OpError>,
    answer: Result<Value, OpError>,
) -> (String, Vec<String>) {
    match (baseline, answer) {
        (_, Err(OpError::Failed { response, .. })) => {
            let outcome = format!("error ({:?}): {}", response.category, response.error);
            (outcome, without_remedy(&response))
        }
        (_, Err(other)) => (
            format!("{other:?}"),
            vec!["the error has no words".to_owned()],
        ),
        (Ok(baseline), Ok(answer)) => {
            let wrong = claims::wrong(baseline, &answer);
            let unread = answer["unreadable"].as_array().map_or(0, Vec::len);
            (format!("answer, {unread} unreadable"), wrong)
        }
        // What is refused when all is known cannot be right when less is known.
        (Err(_), Ok(answer)) => {
            let wrong = format!("{tool} answers only because of the refusal: {answer}");
            ("answer".to_owned(), vec![wrong])
        }
    }
}

fn without_remedy(response: &ErrorResponse) -> Vec<String> {
    let suggestion = response.suggestion.as_deref().unwrap_or_default();
    let has_remedy = suggestion.len() > 10 || response.retry_after.is_some();
    let wrong = format!("an error without a remedy: {}", response.error);
    (!has_remedy).then_some(wrong).into_iter().collect()
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from("| tool | refusal | outcome | false yes |\n|---|---|---|---|\n");
    for row in rows {
        let outcome: String = row.outcome.chars().take(110).collect();
        let outcome = outcome.replace('|', "/").replace('\n', " ");
        writeln!(
            text,
            "| {} | {} | {outcome} | {} |",
            row.tool,
            row.refusal,
            row.wrong.len()
        )
        .unwrap();
    }
    text
}
