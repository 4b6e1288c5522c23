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
use crate::Errand;
use crate::failure::{self, Setback};
use crate::handed;
use crate::pull::{Pull, moment};
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
    /// Somebody else. How, and whether anything was validated, is not known.
    Others,
}

pub(crate) async fn merge(errand: &Errand<'_>) -> StepResult {
    let outcome = Box::pin(merge_and_tell(errand)).await;
    failure::result(outcome, <_>::default())
}

async fn merge_and_tell(errand: &Errand<'_>) -> Result<Report, Setback> {
    let pull = Pull::of(errand).await?;
    let validated = Validated::recall(errand);
    if pull.is_merged() {
        let commit = pull.now.merge_commit_sha.clone();
        let begun = errand.context.recall(MERGING).await?.unwrap_or_default();
        let ours = validated.filter(|one| one.head == pull.head() && begun == one.head.as_bytes());
        let by = match &ours {
            Some(validated) => By::Us(&validated.summary, validated.way),
            None => By::Others,
        };
        return merged(errand, &pull, commit, by).await;
    }
    pull.require_open()?;
    let validated = match validated {
        Some(validated) => validated,
        // The note is gone, so it is looked at again.
        None => match look(errand, &pull).await? {
            Looked::Valid(validated) => validated,
            Looked::Invalid(failures) => return failed(&pull, failures),
            Looked::Asks(question) => return Ok(Report::Asks { question }),
            Looked::Merged => {
                return Err(Setback::new(
                    FailureKind::Transient,
                    "it was merged just now",
                ));
            }
        },
    };
    // Looking again may have pushed, so only a note is held against the head.
    let head = Oid::parse(&validated.head)
        .ok_or_else(|| Setback::permanent(format!("{} is no commit id", validated.head)))?;
    errand
        .context
        .remember(MERGING, validated.head.clone())
        .await?;
    if validated.way == Way::Queue {
        return queued(errand, &pull, &head, &validated.summary).await;
    }
    errand.context.say(&format!(
        "merging {} by {}",
        head.short(),
        errand.place.settings.merge_method.as_str()
    ));
    let request = MergeRequest {
        head: &head,
        method: errand.place.settings.merge_method.clone(),
        title: None,
        message: None,
    };
    let place = errand.place;
    match place
        .github
        .merge_pull_request(&place.repository, pull.number, &request)
        .await?
    {
        MergeOutcome::Merged { commit } => {
            let by = By::Us(&validated.summary, Way::Direct);
            merged(errand, &pull, commit, by).await
        }
        MergeOutcome::HeadMoved { head: now } => head_moved(&pull, &head, &now),
        MergeOutcome::NotMergeable { reason } => {
            refused(errand, &pull, &head, &reason, &validated.summary).await
        }
    }
}

/// The queue of the base merges it, and is waited for.
async fn queued(
    errand: &Errand<'_>,
    pull: &Pull,
    head: &Oid,
    summary: &Summary,
) -> Result<Report, Setback> {
    match queue::merge(errand, pull, head).await? {
        Led::Merged(commit) => merged(errand, pull, commit, By::Us(summary, Way::Queue)).await,
        Led::HeadMoved(now) => head_moved(pull, head, &now),
        Led::TakenOut(why) => {
            let mut failures = Failures::default();
            failures.add(kinds::CI, &why);
            failed(pull, failures)
        }
    }
}

fn head_moved(pull: &Pull, validated: &Oid, now: &Oid) -> Result<Report, Setback> {
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
    errand: &Errand<'_>,
    pull: &Pull,
    head: &Oid,
    reason: &str,
    summary: &Summary,
) -> Result<Report, Setback> {
    let workspace = Workspace::of(errand).await?;
    let mut failures = Failures::default();
    let way = readiness::check(errand, pull, &workspace, &mut failures).await?;
    if failures.is_empty() && way == Way::Queue {
        return queued(errand, pull, head, summary).await;
    }
    if failures.is_empty() {
        // Nothing is known that stands in the way: most often the base moved
        // in this very moment.
        return Err(Setback::new(
            FailureKind::Transient,
            format!("the forge refuses to merge it: {reason}"),
        ));
    }
    failed(pull, failures)
}

async fn merged(
    errand: &Errand<'_>,
    pull: &Pull,
    commit: Option<Oid>,
    by: By<'_>,
) -> Result<Report, Setback> {
    let commit = if let Some(commit) = commit {
        commit
    } else {
        let place = errand.place;
        let now = place.github.pull_request(&place.repository, pull.number);
        now.await?.merge_commit_sha.ok_or_else(|| unseen(pull))?
    };
    wait_for_base(errand, pull, &commit).await?;
    let merge_sha: Sha = commit
        .as_str()
        .parse()
        .map_err(|_| Setback::permanent(format!("{commit} is no commit id")))?;
    let strategy = match errand.place.settings.merge_method {
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
                "Somebody else merged it as {}, and not what was validated",
                commit.short()
            ),
        }),
        validation_summary: match by {
            By::Us(summary, _) => Some(summary.for_handoff()),
            By::Others => None,
        },
        other: errand.accepted_elements(),
    });
    handed::pass(handoff)
}

/// A merge that is not on the base is none.
async fn wait_for_base(errand: &Errand<'_>, pull: &Pull, commit: &Oid) -> Result<(), Setback> {
    let git = crate::workspace::git(errand).await?;
    let remote = crate::workspace::remote_of(errand.place, &git).await?;
    let base = &pull.now.base.branch;
    for _ in 0..LOOKS {
        git.fetch_objects(&remote, &[&format!("refs/heads/{base}")])
            .await?;
        let tip = errand
            .place
            .github
            .branch_head(&errand.place.repository, base)
            .await?;
        if let Some(tip) = tip
            && git.find_commit(tip.as_str()).await?.is_some()
            && git.find_commit(commit.as_str()).await?.is_some()
            && git.is_ancestor(commit.as_str(), tip.as_str()).await?
        {
            return Ok(());
        }
        tokio::select! {
            () = errand.context.cancel.cancelled() => return Err(Setback::cancelled()),
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
    Err(unseen(pull))
}

fn unseen(pull: &Pull) -> Setback {
    let base = &pull.now.base.branch;
    Setback::new(
        FailureKind::Transient,
        format!(
            "pull request #{} is merged, and {base} does not show it yet",
            pull.number
        ),
    )
}
