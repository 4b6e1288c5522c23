//! What CI says about the head.

use baton_ops::Operation as _;
use baton_ops::pulls::{GetFailingTests, NO_CI};
use baton_ops::validation::ledger::SourceTests;
use baton_protocol::Request as _;
use baton_protocol::tools::get_failing_tests::{
    CiFailure, CiStatus, FailureSource, FailureVerdict, GetFailingTestsInput, GetFailingTestsOutput,
};
use baton_workflow::FailureKind;

use super::failures::Failures;
use super::kinds;
use super::validated::Summary;
use crate::AgentStep;
use crate::foreign_text::one_line;
use crate::pull::Pull;
use crate::step_error::StepError;
use crate::tools;

/// Whether there was any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ci {
    Ran,
    /// Nothing reports on the head, which is known for sure.
    None,
}

/// Waits until CI has ended, within the patience of the settings.
pub(super) async fn wait(
    step: &AgentStep<'_>,
    pull: &Pull,
    head: &str,
    failures: &mut Failures,
) -> Result<Ci, StepError> {
    step.context.say("waiting for CI");
    let output = ask(step, pull, true).await?;
    let blocked = |what: String| Err(StepError::blocked(what));
    match output.status {
        CiStatus::Passed => step.context.say("CI passed"),
        CiStatus::Unknown if output.message.as_deref() == Some(NO_CI) => {
            step.context.say(NO_CI);
            return Ok(Ci::None);
        }
        CiStatus::Unknown => {
            let message = output
                .message
                .as_deref()
                .unwrap_or("nothing is known of it");
            let message = one_line(message, 1_000);
            return blocked(format!("CI of {head} cannot be judged: {message}"));
        }
        CiStatus::Pending | CiStatus::Running if output.failures.is_empty() => {
            let told = output
                .poll_info
                .map(|info| info.message)
                .unwrap_or_default();
            let patience = step.place.settings.ci_patience;
            return blocked(format!(
                "CI of {head} has not ended within {patience:?}: {told}"
            ));
        }
        CiStatus::Failed | CiStatus::Pending | CiStatus::Running => {
            judge(step, &output, failures)?;
        }
    }
    Ok(Ci::Ran)
}

/// Without CI, what was run here has to do, if that is enough for the user.
/// Tests that the project had and its runner does not find prove nothing either.
pub(super) fn require(
    step: &AgentStep<'_>,
    ci: Ci,
    summary: &Summary,
    unfound: Option<&SourceTests>,
) -> Result<(), StepError> {
    let unproven = match (ci, step.place.settings.require_ci) {
        (Ci::Ran, _) | (Ci::None, Some(false)) => return Ok(()),
        (Ci::None, Some(true)) => {
            return Err(StepError::blocked(
                "there is no CI, and `run.require_ci` asks for it; add some, or set it to false",
            ));
        }
        (Ci::None, None) => match (&summary.tests, unfound) {
            (Some(_), None) => return Ok(()),
            (_, Some(SourceTests { count, file })) => format!(
                "there is no CI, and none of the {count} tests that the project had was run here, so nothing \
                 proves that they still pass; set `commands.test` to a command that runs them (most are in {file})"
            ),
            (None, None) => "there is no CI, and no test was run here, so nothing proves the change; add tests or CI, \
                 or set `run.require_ci = false` in your own configuration"
                .to_owned(),
        },
    };
    let mut unproven = StepError::objection(unproven);
    // No fix of the code would help, and neither would waiting.
    unproven.0.kind = FailureKind::Permanent;
    StepError::unless_accepted(Err(unproven), step)
}

/// Adds what CI knows already, without waiting. Nothing is known where it
/// cannot be asked.
pub(super) async fn add_known(step: &AgentStep<'_>, pull: &Pull, failures: &mut Failures) {
    if let Ok(output) = ask(step, pull, false).await {
        for failure in output
            .failures
            .iter()
            .filter(|failure| is_of_the_change(failure))
        {
            add(failure, failures);
        }
    }
}

async fn ask(
    step: &AgentStep<'_>,
    pull: &Pull,
    wait: bool,
) -> Result<GetFailingTestsOutput, StepError> {
    let input = GetFailingTestsInput {
        pr: pull.reference(step),
        wait,
        ..GetFailingTestsInput::defaults()
    };
    Ok(GetFailingTests::run(&tools::context(step), input).await?)
}

/// What the change has brought goes to the fixer; what it has nothing to do
/// with is for people, or passes.
fn judge(
    step: &AgentStep<'_>,
    output: &GetFailingTestsOutput,
    failures: &mut Failures,
) -> Result<(), StepError> {
    let mut others = Vec::new();
    for failure in &output.failures {
        if is_of_the_change(failure) {
            add(failure, failures);
        } else if failure.verdict != Some(FailureVerdict::PreExisting)
            || failure.required == Some(true)
        {
            others.push(words(failure));
        } else {
            step.context
                .say(&format!("fails on the base as well: {}", words(failure)));
        }
    }
    if !failures.is_empty() || (others.is_empty() && !output.failures.is_empty()) {
        return Ok(());
    }
    let what = if others.is_empty() {
        output
            .message
            .clone()
            .unwrap_or_else(|| output.instructions.summary.clone())
    } else {
        others.join("; ")
    };
    Err(StepError::blocked(format!(
        "CI failed, though not because of the change; run it again when that is mended: {}",
        one_line(&what, 1_000)
    )))
}

fn is_of_the_change(failure: &CiFailure) -> bool {
    match failure.verdict {
        None | Some(FailureVerdict::Introduced | FailureVerdict::CiConfiguration) => true,
        Some(
            FailureVerdict::PreExisting
            | FailureVerdict::Flaky
            | FailureVerdict::Infrastructure
            | FailureVerdict::NotRun,
        ) => false,
    }
}

fn add(failure: &CiFailure, failures: &mut Failures) {
    let kind = match failure.source {
        Some(FailureSource::Report | FailureSource::Log) => kinds::TEST,
        _ => kinds::CI,
    };
    failures.add(kind, &words(failure));
}

fn words(failure: &CiFailure) -> String {
    let place = match (&failure.file_path, failure.line_number) {
        (Some(file), Some(line)) => format!(" ({file}:{line})"),
        (Some(file), None) => format!(" ({file})"),
        _ => String::new(),
    };
    let command = failure
        .command
        .as_ref()
        .map(|command| format!("; shown by `{command}`"));
    format!(
        "{}: {}{place} – {}{}",
        failure.check_name,
        failure.test_name,
        one_line(&failure.error_message, 400),
        command.unwrap_or_default()
    )
}
