//! The merge of exactly the commit that was validated.

use std::time::Duration;

use baton_engine::StepResult;
use baton_host::git::Source;
use baton_protocol::handoff::{Handoff, MergeStatus, MergeStrategy, Merged, Sha};
use baton_remote::github::CommitId;
use baton_remote::github::resources::merging::{MergeOutcome, MergeRequest};
use baton_remote::github::words::MergeMethod;
use baton_workflow::{FailureKind, Report};

use super::failures::Failures;
use super::validated::{Summary, Validated};
use super::{Looked, failed, kinds, look, readiness};
use crate::Errand;
use crate::failure::{self, Setback};
use crate::handed;
use crate::pull::{Pull, moment, short};
use crate::workspace::Workspace;

/// A merge shows on the base within a moment.
const LOOKS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(500);

pub(crate) async fn merge(errand: &Errand<'_>) -> StepResult {
    let outcome = Box::pin(merge_and_tell(errand)).await;
    failure::result(outcome, <_>::default())
}

async fn merge_and_tell(errand: &Errand<'_>) -> Result<Report, Setback> {
    let pull = Pull::of(errand).await?;
    let validated = Validated::recall(errand);
    if pull.is_merged() {
        let summary = validated
            .map(|validated| validated.summary)
            .unwrap_or_default();
        let commit = pull.now.merge_commit_sha.clone();
        return merged(errand, &pull, commit, &summary).await;
    }
    pull.require_open()?;
    let validated = match validated {
        Some(validated) => validated,
        // The note is gone, so it is looked at again.
        None => match look(errand, &pull).await? {
            Looked::Valid(validated) => validated,
            Looked::Invalid(failures) => return failed(&pull, failures),
            Looked::Merged => {
                return Err(Setback::new(
                    FailureKind::Transient,
                    "it was merged just now",
                ));
            }
        },
    };
    let mut failures = Failures::default();
    // Looking again may have pushed, so only a note is held against the head.
    let head = CommitId::parse(&validated.head)
        .ok_or_else(|| Setback::permanent(format!("{} is no commit id", validated.head)))?;
    errand.context.say(&format!(
        "merging {} by {}",
        short(head.as_str()),
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
        MergeOutcome::Merged { commit } => merged(errand, &pull, commit, &validated.summary).await,
        MergeOutcome::HeadMoved { head: now } => {
            let (was, now) = (short(&validated.head), short(now.as_str()));
            failures.add(
                kinds::HEAD_MOVED,
                &format!("{was} was validated, and the head of the pull request is {now}"),
            );
            failed(&pull, failures)
        }
        MergeOutcome::NotMergeable { reason } => refused(errand, &pull, &reason).await,
    }
}

/// Why the forge refuses: what the fixer can mend, or what has to wait.
async fn refused(errand: &Errand<'_>, pull: &Pull, reason: &str) -> Result<Report, Setback> {
    let workspace = Workspace::of(errand).await?;
    let mut failures = Failures::default();
    readiness::check(errand, pull, &workspace, &mut failures).await?;
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
    commit: Option<CommitId>,
    summary: &Summary,
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
        summary: Some(format!("Merged as {}", short(commit.as_str()))),
        validation_summary: Some(summary.for_handoff()),
        other: Vec::new(),
    });
    handed::pass(handoff)
}

/// A merge that is not on the base is none.
async fn wait_for_base(errand: &Errand<'_>, pull: &Pull, commit: &CommitId) -> Result<(), Setback> {
    let git = crate::workspace::git(errand).await?;
    let remote = crate::workspace::remote_of(errand.place, &git).await?;
    let base = &pull.now.base.branch;
    for _ in 0..LOOKS {
        let source = Source {
            remote: &remote,
            authorization: errand.place.workplace.authorization.as_ref(),
        };
        git.fetch_objects(source, &[&format!("refs/heads/{base}")])
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
