//! closer-agent: says how it went, closes the issue, and clears away what is no
//! longer needed.

use std::fmt::Write as _;
use std::path::Path;

use baton_engine::StepResult;
use baton_host::git::Oid;
use baton_protocol::handoff::{
    CompletionStatus, Handoff, HandoffKind, Merged, Metrics, Percentage, WorkflowComplete,
    WorkspaceType,
};
use baton_remote::github::enums::IssueState;
use baton_remote::github::resources::issues::StateReason;
use baton_remote::github::resources::pulls::PullRequest;
use baton_remote::github::resources::repositories::RepositoryName;
use baton_remote::github::{GitHubError, GitHubErrorKind};
use baton_workflow::{Report, State, Usage};
use jiff::{SignedDuration, Timestamp};

use crate::AgentStep;
use crate::handoffs;
use crate::issue_manager::request::without_comments;
use crate::marker::{self, Marker};
use crate::pull;
use crate::related;
use crate::resources::{self, Fate};
use crate::step_error::{self, StepError};
use crate::validator::CHANGED_COVERAGE;
use crate::workspace::{element, text_of};

/// The note that says when the run was closed, so that it is told the same way
/// each time.
const CLOSED_AT: &str = "closed-at";

pub(crate) async fn run(step: &AgentStep<'_>) -> StepResult {
    step_error::result(close(step).await, Usage::default())
}

async fn close(step: &AgentStep<'_>) -> Result<Report, StepError> {
    let merged = handoffs::merged(step)?;
    let pull = merged_pull(step, merged).await?;
    let number = handoffs::number(merged.issue_number)?;
    let cycle_time = cycle_time(closed_at(step).await?, step.state());
    let metrics = metrics(step, merged, &pull).await?;

    let mut actions = Vec::new();
    // Someone else's pull request has no issue of ours, and its branch is theirs.
    let is_adopted = step.goal().pull_request.is_some();
    if !is_adopted {
        let text = closing_words(step, &pull, &metrics, &cycle_time);
        marker::comment_once(step.place, number, &Marker::for_key(&step.call.key), &text).await?;
        actions.push("Closing comment posted".to_owned());
        close_issue(step, number).await?;
        actions.push("Issue closed".to_owned());
        step.go_on()?;
        if delete_remote_branch(step, &pull).await? {
            actions.push("Branch deleted".to_owned());
        }
    }
    let left = resources::let_go(step, Fate::OnForge(&pull.head.sha)).await?;
    if is_worktree_gone(step) {
        actions.push("Worktree removed".to_owned());
    }
    if let Some(branch) = left.kept_branch {
        step.context.say(&format!(
            "{branch} has commits that are not merged, and stays"
        ));
    }
    if !is_adopted && update_related(step, &pull, number).await? {
        actions.push("Related issues updated".to_owned());
    }
    complete(step, merged, &pull, metrics, &cycle_time, actions)
}

/// The handoff says that it is merged; the forge has to say so, too.
async fn merged_pull(step: &AgentStep<'_>, merged: &Merged) -> Result<PullRequest, StepError> {
    let number = handoffs::number(merged.pr_number)?;
    let pull = pull::look_up(step, number).await?;
    if !pull.is_merged() {
        return Err(StepError::rejected(format!(
            "pull request #{number} is said to be merged, and it is not"
        )));
    }
    let claimed = merged.merge_sha.as_str().to_ascii_lowercase();
    let is_it = |sha: &str| sha.starts_with(&claimed);
    if let Some(sha) = &pull.merge_commit_sha
        && !is_it(sha.as_str())
    {
        return Err(StepError::rejected(format!(
            "pull request #{number} was merged as {sha}, and not as {claimed}"
        )));
    }
    Ok(pull)
}

async fn closed_at(step: &AgentStep<'_>) -> Result<Timestamp, StepError> {
    let note = step.context.recall(CLOSED_AT).await?.unwrap_or_default();
    let known = String::from_utf8(note)
        .ok()
        .and_then(|text| text.parse().ok());
    if let Some(known) = known {
        return Ok(known);
    }
    let now = Timestamp::now();
    step.context.remember(CLOSED_AT, now.to_string()).await?;
    Ok(now)
}

async fn metrics(
    step: &AgentStep<'_>,
    merged: &Merged,
    pull: &PullRequest,
) -> Result<Metrics, StepError> {
    let place = step.place;
    let state = step.state();
    let reviews = state.passed().iter().filter(|passed| {
        let kind = passed.handoff.kind();
        matches!(kind, HandoffKind::ChangesRequested | HandoffKind::Approved)
    });
    let commits = if let Some(commits) = pull.commits {
        commits
    } else {
        let (github, repository) = (&place.github, &place.repository);
        let listed = github.pull_request_commits(repository, pull.number).await?;
        u64::try_from(listed.items.len()).unwrap_or(u64::MAX)
    };
    let implemented = handoffs::implemented(step).ok();
    let validated = merged.validation_summary.as_ref();
    let coverage: Option<Percentage> = validated
        .and_then(|summary| summary.coverage.clone())
        .or_else(|| implemented.and_then(|done| done.coverage.clone()));
    let usage = state.usage();
    let changed = validated.and_then(|summary| text_of(&summary.other, CHANGED_COVERAGE));
    let changed = changed.and_then(|share| share.parse::<Percentage>().ok());
    let mut other = Vec::new();
    if let Some(share) = changed {
        other.push(element(CHANGED_COVERAGE, share.as_str()));
    }
    if usage.turns > 0 {
        other.push(element("agent_turns", &usage.turns.to_string()));
    }
    if usage.cost_micros > 0 {
        other.push(element("agent_cost", &dollars(usage.cost_micros)));
    }
    Ok(Metrics {
        review_iterations: Some(reviews.map(|_| 1).sum()),
        total_commits: Some(commits),
        tests_added: implemented.and_then(|done| done.tests_added),
        coverage,
        other,
    })
}

fn dollars(micros: u64) -> String {
    format!("${}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000)
}

fn closing_words(
    step: &AgentStep<'_>,
    pull: &PullRequest,
    metrics: &Metrics,
    cycle_time: &str,
) -> String {
    let sha = pull.merge_commit_sha.as_ref().map_or("", Oid::short);
    let mut text = format!(
        "Resolved by #{}, merged into `{}` as {sha}.\n\n| | |\n|---|---|\n",
        pull.number, pull.base.branch
    );
    let mut row = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            writeln!(text, "| {name} | {value} |").expect("a string takes all text");
        }
    };
    let number = |value: Option<u64>| value.map(|value| value.to_string());
    let usage = step.state().usage();
    row("From request to merge", Some(cycle_time.to_owned()));
    row("Reviews", number(metrics.review_iterations));
    row("Commits", number(metrics.total_commits));
    row("Tests added", number(metrics.tests_added));
    row(
        "Coverage",
        metrics.coverage.as_ref().map(ToString::to_string),
    );
    row(
        "Coverage of the changed lines",
        text_of(&metrics.other, CHANGED_COVERAGE),
    );
    row(
        "Turns of agents",
        number(Some(usage.turns).filter(|turns| *turns > 0)),
    );
    row(
        "Cost of agents",
        Some(usage.cost_micros)
            .filter(|cost| *cost > 0)
            .map(dollars),
    );
    text
}

async fn close_issue(step: &AgentStep<'_>, number: u32) -> Result<(), StepError> {
    let place = step.place;
    let issue = place.github.issue(&place.repository, number).await?;
    if issue.state == IssueState::Open {
        let reason = StateReason::Completed;
        place
            .github
            .close_issue(&place.repository, number, &reason)
            .await?;
    }
    Ok(())
}

/// Whether it is gone. A branch that someone pushed to after the merge stays.
async fn delete_remote_branch(step: &AgentStep<'_>, pull: &PullRequest) -> Result<bool, StepError> {
    let github = &step.place.github;
    let Some(home) = pull.head.repo.as_ref().and_then(RepositoryName::parse) else {
        return Ok(false);
    };
    let branch = &pull.head.branch;
    match github.branch_head(&home, branch).await? {
        None => Ok(true),
        Some(head) if head == pull.head.sha => match github.delete_branch(&home, branch).await {
            Ok(()) => Ok(true),
            Err(error) if is_refusal(&error) => {
                step.context
                    .say(&format!("{branch} cannot be deleted: {error}"));
                Ok(false)
            }
            Err(error) => Err(error.into()),
        },
        Some(_) => {
            step.context.say(&format!(
                "{branch} was pushed to after the merge, and stays"
            ));
            Ok(false)
        }
    }
}

/// A branch that may not be deleted is no reason to leave a run open.
fn is_refusal(error: &GitHubError) -> bool {
    matches!(
        error.kind(),
        GitHubErrorKind::NotPermitted { .. }
            | GitHubErrorKind::Invalid { .. }
            | GitHubErrorKind::Refused { .. }
    )
}

/// Whether the run had a worktree and has none any more.
fn is_worktree_gone(step: &AgentStep<'_>) -> bool {
    handoffs::workspace(step).is_ok_and(|workspace| {
        let is_worktree = workspace.workspace_type.word() == Some(WorkspaceType::Worktree);
        is_worktree && !Path::new(workspace.workspace_path.as_str()).exists()
    })
}

/// Tells the issues that this one is part of. They are other people's: a
/// comment, and no more. Whether there are any.
async fn update_related(
    step: &AgentStep<'_>,
    pull: &PullRequest,
    issue: u32,
) -> Result<bool, StepError> {
    let parents = related::parents(&without_comments(&pull.body));
    let mut any = false;
    for parent in parents.into_iter().filter(|parent| *parent != issue) {
        let text = format!(
            "#{issue}, which is part of this, is done: #{} was merged.",
            pull.number
        );
        let marker = Marker::part(&step.call.key, format_args!("related-{parent}"));
        match marker::comment_once(step.place, parent, &marker, &text).await {
            Ok(_) => any = true,
            Err(error) if error.is_transient() => return Err(error.into()),
            Err(error) => step
                .context
                .say(&format!("no comment on #{parent}: {error}")),
        }
    }
    Ok(any)
}

fn complete(
    step: &AgentStep<'_>,
    merged: &Merged,
    pull: &PullRequest,
    metrics: Metrics,
    cycle_time: &str,
    actions: Vec<String>,
) -> Result<Report, StepError> {
    let issue = handoffs::issue(step).ok();
    let title = issue.map_or(pull.title.as_str(), |issue| issue.issue_title.as_str());
    handoffs::pass(Handoff::WorkflowComplete(WorkflowComplete {
        timestamp: Some(Timestamp::now().into()),
        issue_number: merged.issue_number,
        issue_url: issue.map(|issue| issue.issue_url.clone()),
        pr_number: merged.pr_number,
        pr_url: Some(merged.pr_url.clone()),
        status: CompletionStatus::Completed.into(),
        cycle_time: Some(handoffs::line(cycle_time)?),
        summary: Some(format!("Merged: {title}")),
        metrics: Some(metrics),
        actions_taken: Some(actions),
        other: Vec::new(),
    }))
}

/// From the request to the end. By how much the clock was set during steps is
/// taken out, and the run has taken no less than its steps have.
fn cycle_time(closed: Timestamp, state: &State) -> String {
    let by_clock = closed.duration_since(state.created());
    let set_by = state.clock_set();
    let active = SignedDuration::try_from(state.active()).unwrap_or(SignedDuration::MAX);
    cycle_words(by_clock.saturating_sub(set_by), set_by, active)
}

fn cycle_words(taken: SignedDuration, set_by: SignedDuration, active: SignedDuration) -> String {
    if taken < active {
        format!("at least {}", in_words(active))
    } else if set_by.is_zero() {
        in_words(taken)
    } else {
        format!("about {}", in_words(taken))
    }
}

/// `2 days 4 hours`: the two largest units that there are.
fn in_words(duration: SignedDuration) -> String {
    const UNITS: [(&str, i64); 4] = [
        ("day", 86_400),
        ("hour", 3_600),
        ("minute", 60),
        ("second", 1),
    ];
    let mut left = duration.as_secs().max(0);
    let mut parts = Vec::new();
    for (name, seconds) in UNITS {
        let count = left / seconds;
        left %= seconds;
        if count > 0 && parts.len() < 2 {
            let plural = if count == 1 { "" } else { "s" };
            parts.push(format!("{count} {name}{plural}"));
        } else if !parts.is_empty() {
            break;
        }
    }
    if parts.is_empty() {
        return "less than a second".to_owned();
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_in_its_two_largest_units() {
        let words = |seconds: i64| in_words(SignedDuration::from_secs(seconds));
        insta::assert_snapshot!(words(2 * 86_400 + 4 * 3_600 + 59), @"2 days 4 hours");
        insta::assert_snapshot!(words(86_400 + 60), @"1 day");
        insta::assert_snapshot!(words(61), @"1 minute 1 second");
        insta::assert_snapshot!(words(0), @"less than a second");
        assert_eq!(dollars(1_239_999), "$1.23");
    }

    /// A run of which ten minutes were spent in steps and five minutes between
    /// them, as the clock tells of it.
    fn told(clock_set_in_steps: i64, clock_set_between: i64) -> String {
        let minutes = SignedDuration::from_mins;
        let by_clock = minutes(15 + clock_set_in_steps + clock_set_between);
        let set_by = minutes(clock_set_in_steps);
        cycle_words(by_clock.saturating_sub(set_by), set_by, minutes(10))
    }

    #[test]
    fn a_clock_that_is_set_does_not_change_how_long_a_run_took() {
        insta::assert_snapshot!(told(0, 0), @"15 minutes");
        insta::assert_snapshot!(told(-60, 0), @"about 15 minutes");
        insta::assert_snapshot!(told(24 * 60, 0), @"about 15 minutes");
        // Between steps it cannot be seen; what the steps took is certain.
        insta::assert_snapshot!(told(0, -60), @"at least 10 minutes");
    }
}
