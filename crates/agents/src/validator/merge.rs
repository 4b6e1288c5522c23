//! The merge of exactly the commit that was validated.

use std::time::Duration;

use baton_engine::StepResult;
use baton_protocol::Oid;
use baton_protocol::handoff::{Handoff, MergeStatus, MergeStrategy, Merged, Sha};
use baton_remote::github::enums::MergeMethod;
use baton_remote::github::resources::merging::{MergeOutcome, MergeRequest};
use baton_workflow::{FailureKind, Report};

use super::failures::Failures;
use super::queue::{self, Led};
use super::validated::{Summary, Validated, Way};
use super::{Looked, failed, kinds, look, readiness};
use crate::AgentStep;
use crate::handoffs;
use crate::pull::{Pull, moment};
use crate::step_error::{self, StepError};
use crate::workspace::Workspace;

/// A merge shows on the base within a moment.
const LOOKS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(500);

/// The note that says which commit this run is about to merge.
const MERGING: &str = "merging";

/// Whose merge it is.
#[derive(Clone, Copy)]
enum By<'a> {
    /// This run, with what it had validated.
    Us(&'a Summary, Way),
    /// Someone else. How, and whether anything was validated, is not known.
    Others,
}

pub(crate) async fn merge(step: &AgentStep<'_>) -> StepResult {
    let outcome = Box::pin(merge_and_tell(step)).await;
    step_error::result(outcome, <_>::default())
}

async fn merge_and_tell(step: &AgentStep<'_>) -> Result<Report, StepError> {
    let pull = Pull::open(step).await?;
    let validated = Validated::recall(step);
    if pull.is_merged() {
        let commit = pull.now.merge_commit_sha.clone();
        let begun = step.context.recall(MERGING).await?.unwrap_or_default();
        let ours = validated.filter(|one| one.head == pull.head() && begun == one.head.as_bytes());
        let by = match &ours {
            Some(validated) => By::Us(&validated.summary, validated.way),
            None => By::Others,
        };
        return merged(step, &pull, commit, by).await;
    }
    pull.require_open()?;
    let validated = match validated {
        Some(validated) => validated,
        // The note is gone, so it is looked at again.
        None => match look(step, &pull).await? {
            Looked::Valid(validated) => validated,
            Looked::Invalid(failures) => return failed(&pull, failures),
            Looked::Asks(question) => return Ok(Report::Asks { question }),
            Looked::Merged => {
                return Err(StepError::new(
                    FailureKind::Transient,
                    "it was merged just now",
                ));
            }
        },
    };
    // Looking again may have pushed, so only a note is held against the head.
    let head = Oid::parse(&validated.head)
        .ok_or_else(|| StepError::permanent(format!("{} is no commit id", validated.head)))?;
    step.context
        .remember(MERGING, validated.head.clone())
        .await?;
    if validated.way == Way::Queue {
        return queued(step, &pull, &head, &validated.summary).await;
    }
    step.context.say(&format!(
        "merging {} by {}",
        head.short(),
        step.place.settings.merge_method.as_str()
    ));
    let request = MergeRequest {
        head: &head,
        method: Some(step.place.settings.merge_method.clone()),
        title: None,
        message: None,
    };
    let place = step.place;
    match place
        .github
        .merge_pull_request(&place.repository, pull.number, &request)
        .await?
    {
        MergeOutcome::Merged { commit } => {
            let by = By::Us(&validated.summary, Way::Direct);
            merged(step, &pull, commit, by).await
        }
        MergeOutcome::HeadMoved { head: now } => head_moved(&pull, &head, &now),
        MergeOutcome::NotMergeable { reason } => {
            refused(step, &pull, &head, &reason, &validated.summary).await
        }
    }
}

/// Hands over a merge that the run did not make.
pub(super) async fn by_others(step: &AgentStep<'_>, pull: &Pull) -> Result<Report, StepError> {
    let commit = pull.now.merge_commit_sha.clone();
    merged(step, pull, commit, By::Others).await
}

/// The queue of the base merges it, and is waited for.
async fn queued(
    step: &AgentStep<'_>,
    pull: &Pull,
    head: &Oid,
    summary: &Summary,
) -> Result<Report, StepError> {
    match queue::merge(step, pull, head).await? {
        Led::Merged(commit) => merged(step, pull, commit, By::Us(summary, Way::Queue)).await,
        Led::HeadMoved(now) => head_moved(pull, head, &now),
        Led::TakenOut(why) => {
            let mut failures = Failures::default();
            failures.add(kinds::CI, &why);
            failed(pull, failures)
        }
    }
}

fn head_moved(pull: &Pull, validated: &Oid, now: &Oid) -> Result<Report, StepError> {
    let (was, now) = (validated.short(), now.short());
    let mut failures = Failures::default();
    failures.add(
        kinds::HEAD_MOVED,
        &format!("{was} was validated, and the head of the pull request is {now}"),
    );
    failed(pull, failures)
}

/// Why the forge refuses: what the fixer can mend, or what has to wait.
async fn refused(
    step: &AgentStep<'_>,
    pull: &Pull,
    head: &Oid,
    reason: &str,
    summary: &Summary,
) -> Result<Report, StepError> {
    let workspace = Workspace::open(step).await?;
    let mut failures = Failures::default();
    let way = readiness::check(step, pull, &workspace, &mut failures).await?;
    if failures.is_empty() && way == Way::Queue {
        return queued(step, pull, head, summary).await;
    }
    if failures.is_empty() {
        // Nothing is known that stands in the way: most often the base moved
        // in this very moment.
        return Err(StepError::new(
            FailureKind::Transient,
            format!("the forge refuses to merge it: {reason}"),
        ));
    }
    failed(pull, failures)
}

async fn merged(
    step: &AgentStep<'_>,
    pull: &Pull,
    commit: Option<Oid>,
    by: By<'_>,
) -> Result<Report, StepError> {
    let commit = if let Some(commit) = commit {
        commit
    } else {
        let place = step.place;
        let now = place.github.pull_request(&place.repository, pull.number);
        now.await?.merge_commit_sha.ok_or_else(|| unseen(pull))?
    };
    wait_for_base(step, pull, &commit).await?;
    let merge_sha: Sha = commit
        .as_str()
        .parse()
        .map_err(|_| StepError::permanent(format!("{commit} is no commit id")))?;
    let strategy = match step.place.settings.merge_method {
        // A queue has a method of its own, and so have others.
        _ if !matches!(by, By::Us(_, Way::Direct)) => None,
        MergeMethod::Merge => Some(MergeStrategy::Merge),
        MergeMethod::Squash => Some(MergeStrategy::Squash),
        MergeMethod::Rebase => Some(MergeStrategy::Rebase),
        MergeMethod::Unknown(_) => None,
    };
    let handoff = Handoff::Merged(Merged {
        timestamp: Some(moment()),
        pr_url: pull.url()?,
        pr_number: pull.number(),
        issue_url: None,
        issue_number: pull.issue,
        merge_status: MergeStatus::Merged.into(),
        merge_sha,
        merge_strategy: strategy.map(Into::into),
        status: None,
        summary: Some(match by {
            By::Us(Summary { ci: Some(_), .. }, _) => {
                format!("Merged as {}, without CI", commit.short())
            }
            By::Us(..) => format!("Merged as {}", commit.short()),
            By::Others => format!(
                "Someone else merged it as {}, and not what was validated",
                commit.short()
            ),
        }),
        validation_summary: match by {
            By::Us(summary, _) => Some(summary.for_handoff()),
            By::Others => None,
        },
        other: step.accepted_elements(),
    });
    handoffs::pass(handoff)
}

/// A merge that is not on the base is none.
async fn wait_for_base(step: &AgentStep<'_>, pull: &Pull, commit: &Oid) -> Result<(), StepError> {
    let git = crate::workspace::git(step).await?;
    let remote = crate::workspace::remote_of(step.place, &git).await?;
    let base = &pull.now.base.branch;
    for _ in 0..LOOKS {
        git.fetch_objects(&remote, &[&format!("refs/heads/{base}")])
            .await?;
        let tip = step
            .place
            .github
            .branch_head(&step.place.repository, base)
            .await?;
        if let Some(tip) = tip
            && git.find_commit(tip.as_str()).await?.is_some()
            && git.find_commit(commit.as_str()).await?.is_some()
            && git.is_ancestor(commit.as_str(), tip.as_str()).await?
        {
            return Ok(());
        }
        tokio::select! {
            () = step.context.cancel.cancelled() => return Err(StepError::cancelled()),
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
    Err(unseen(pull))
}

fn unseen(pull: &Pull) -> StepError {
    let base = &pull.now.base.branch;
    StepError::new(
        FailureKind::Transient,
        format!(
            "pull request #{} is merged, and {base} does not show it yet",
            pull.number
        ),
    )
}
