//! After a failure or a cancellation, or where a run ends before the merge: lets go
//! of what the run holds. What it made on the forge stays, with a word about how it ended.

use baton_engine::StepResult;
use baton_host::cmd::end_survivors;
use baton_protocol::handoff::HandoffKind;
use baton_workflow::{Ending, Report, Usage};

use crate::AgentStep;
use crate::foreign_text::{in_markdown, one_line};
use crate::marker::{self, Marker};
use crate::pull::Pull;
use crate::resources::{self, Fate};
use crate::step_error::{self, GRACE, StepError};

pub(crate) async fn run(step: &AgentStep<'_>) -> StepResult {
    step_error::result(clean_up(step).await, Usage::default())
}

async fn clean_up(step: &AgentStep<'_>) -> Result<Report, StepError> {
    end_leftovers(step).await;
    let has_reached = matches!(
        step.state().ending_after_clean_up(),
        Some(Ending::Reached { .. })
    );
    // A pull request that was closed meanwhile, or has other commits, does not hold the work.
    let pull = if has_reached {
        Pull::open(step).await.ok().filter(Pull::is_open)
    } else {
        None
    };
    let fate = match &pull {
        Some(pull) => Fate::OnForge(&pull.now.head.sha),
        None => Fate::KeptIfWorked,
    };
    let done = resources::let_go(step, fate).await?;
    if let Some(branch) = &done.kept_branch {
        step.context
            .say(&format!("the work so far is on the branch {branch}"));
    }
    if !has_reached {
        tell(step, done.kept_branch.as_deref()).await?;
    }
    Ok(Report::Done)
}

/// Processes of the step that was under way when the run was to end. Keys are
/// numbered, and a question may stand between that step and this one.
async fn end_leftovers(step: &AgentStep<'_>) {
    const KINDS: &[&str] = &["agent", "step"];
    const STEPS: &[&str] = &[
        "prepare",
        "implement",
        "publish",
        "review",
        "fix",
        "validate",
    ];
    let (run, key) = (step.call.run(), step.call.key.within_run());
    let number = key
        .split_once('-')
        .and_then(|(number, _)| number.parse::<u32>().ok());
    let Some(number) = number else {
        return;
    };
    for earlier in number.saturating_sub(2)..number {
        for name in STEPS {
            for kind in KINDS {
                let mark = format!("{kind}:{run}/{earlier:03}-{name}");
                let ended = end_survivors(&mark, GRACE).await;
                if ended > 0 {
                    step.context
                        .say(&format!("ended {ended} processes of {name}"));
                }
            }
        }
    }
}

/// Anyone who looks at the pull request, or else at the issue, can read why nothing
/// happens there any more.
async fn tell(step: &AgentStep<'_>, kept_branch: Option<&str>) -> Result<(), StepError> {
    let latest = |kind| step.state().latest(kind).map(|passed| &passed.handoff);
    let passed = step.state().passed().iter().rev();
    let pull = { passed }.find_map(|passed| passed.handoff.pr_number());
    let issue = latest(HandoffKind::IssueReady).and_then(|handoff| handoff.issue_number());
    let number = pull
        .or(issue)
        .and_then(|number| u32::try_from(number.get()).ok());
    let Some(number) = number else {
        return Ok(());
    };
    let why = match step.state().ending_after_clean_up() {
        Some(Ending::Cancelled { reason, .. }) => format!("was cancelled: {reason}"),
        Some(Ending::Failed { reason, .. }) => format!("failed: {reason}"),
        Some(Ending::Closed | Ending::Reached { .. }) | None => "has ended".to_owned(),
    };
    let mut text = format!(
        "The run that worked on this {}.",
        in_markdown(&one_line(&why, 500))
    );
    if let Some(branch) = kept_branch {
        text.push_str(" Its work so far is on the branch `");
        text.push_str(branch);
        text.push_str("`.");
    }
    let marker = Marker::for_key(&step.call.key);
    let told = marker::comment_once(step.place, number, &marker, &text).await;
    match told {
        Err(error) if error.is_transient() => Err(error.into()),
        Err(error) => {
            step.context
                .say(&format!("no comment on #{number}: {error}"));
            Ok(())
        }
        Ok(_) => Ok(()),
    }
}
