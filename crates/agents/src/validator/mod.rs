//! validator-agent: everything that has to hold before a merge, then the merge
//! of exactly what was looked at, by itself or through the queue of the base.

mod accepted;
mod ci;
mod coverage_files;
mod coverage_run;
mod draft;
mod failures;
pub(crate) mod kinds;
mod known_run;
mod ledger;
mod local;
mod merge;
mod queue;
mod readiness;
mod reviewed;
mod up_to_date;
mod validated;

use baton_engine::StepResult;
use baton_protocol::handoff::{FailedValidation, Handoff, ValidationFailed};
use baton_workflow::{Report, StepQuestion};

use crate::AgentStep;
use crate::handoffs;
use crate::pull::{Pull, moment};
use crate::step_error::{self, StepError};
use crate::workspace::{BASE_COMMIT, Workspace, element};

use ci::Ci;
use failures::Failures;
use validated::{Summary, Validated, Way};

pub(crate) use merge::merge;
pub(crate) use validated::CHANGED_COVERAGE;

pub(crate) async fn validate(step: &AgentStep<'_>) -> StepResult {
    let outcome = Box::pin(validate_and_tell(step)).await;
    step_error::result(outcome, <_>::default())
}

/// What came of looking at everything.
enum Looked {
    Valid(Validated),
    Invalid(Failures),
    /// A person has to say.
    Asks(StepQuestion),
    /// Someone merged it meanwhile.
    Merged,
}

async fn validate_and_tell(step: &AgentStep<'_>) -> Result<Report, StepError> {
    let pull = Pull::open(step).await?;
    match look(step, &pull).await? {
        Looked::Merged => {
            step.context
                .say("someone merged it meanwhile; it was not validated");
            merge::by_others(step, &pull).await
        }
        Looked::Invalid(failures) => failed(&pull, failures),
        Looked::Asks(question) => Ok(Report::Asks { question }),
        Looked::Valid(validated) => {
            validated.keep(step)?;
            step.context.say(&validated.in_words());
            Ok(Report::Done)
        }
    }
}

async fn look(step: &AgentStep<'_>, pull: &Pull) -> Result<Looked, StepError> {
    if pull.is_merged() {
        return Ok(Looked::Merged);
    }
    pull.require_open()?;
    let workspace = Workspace::open(step).await?;
    pull.bring_here(&workspace, step).await?;
    let unreviewed = reviewed::check(step, pull, &workspace).await?;
    if !unreviewed.is_empty() {
        return Ok(Looked::Invalid(unreviewed));
    }
    let mut failures = up_to_date::bring(step, pull, &workspace).await?;
    if !failures.is_empty() {
        return Ok(Looked::Invalid(failures));
    }
    let (mut local, tested) = local::validate(step, &workspace, &mut failures).await?;
    let is_clean = failures.is_empty();
    let mut unfound = None;
    if is_clean || !tested.failed.is_empty() {
        let ledger = ledger::compare(step, &workspace, &tested).await?;
        ledger::judge_failures(step, &ledger, &tested, &mut local, &mut failures)?;
        unfound.clone_from(&ledger.unfound);
        // A change that is going to be fixed is compared again.
        if is_clean && let Some(question) = ledger::judge(step, &ledger, &mut failures) {
            return Ok(Looked::Asks(question));
        }
    }
    if !failures.is_empty() {
        // What CI knows already belongs to the same fix.
        ci::add_known(step, pull, &mut failures).await;
        return Ok(Looked::Invalid(failures));
    }
    let head = workspace.push().await?;
    let ci = ci::wait(step, pull, head.as_str(), &mut failures).await?;
    if failures.is_empty() {
        draft::mark_ready(step, pull).await?;
    }
    let way = if failures.is_empty() {
        readiness::check(step, pull, &workspace, &mut failures).await?
    } else {
        Way::default()
    };
    if failures.is_empty() {
        ci::require(step, ci, &local, unfound.as_ref())?;
    }
    Ok(if failures.is_empty() {
        Looked::Valid(Validated {
            head: head.to_string(),
            way,
            summary: Summary {
                ci: (ci == Ci::None).then(|| "none".to_owned()),
                ..local
            },
        })
    } else {
        Looked::Invalid(failures)
    })
}

fn failed(pull: &Pull, failures: Failures) -> Result<Report, StepError> {
    let (listed, base) = failures.into_parts();
    let base = base.map(|base| element(BASE_COMMIT, base.as_str()));
    let summary = format!(
        "{} before it can be merged",
        match listed.len() {
            1 => "1 thing has to be mended".to_owned(),
            count => format!("{count} things have to be mended"),
        }
    );
    let handoff = Handoff::ValidationFailed(ValidationFailed {
        timestamp: Some(moment()),
        pr_url: pull.url()?,
        pr_number: pull.number(),
        issue_url: None,
        issue_number: pull.issue,
        validation_status: FailedValidation::Failed.into(),
        status: None,
        summary: Some(summary),
        failures: listed,
        other: base.into_iter().collect(),
    });
    handoffs::pass(handoff)
}
