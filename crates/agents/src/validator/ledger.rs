//! The test ledger of a change: whether all that ought to run has run, and
//! whether its new tests can fail.

use std::iter;

use baton_ops::validation::ledger::{self, Difference, Head, Ledger, Request, SourceTests};
use baton_protocol::handoff::Handoff;
use baton_protocol::report::ReportedFailure;
use baton_workflow::{ACCEPT, Choice, FailureKind, Objection, StepQuestion};

use super::failures::Failures;
use super::local::Tested;
use super::validated::Summary;
use super::{kinds, known_run};
use crate::blocking;
use crate::confine::CommandSandbox;
use crate::foreign_text::one_line;
use crate::prep::Prepared;
use crate::project_command;
use crate::step_error::StepError;
use crate::tools;
use crate::workspace::Workspace;
use crate::{AgentStep, acceptance};

pub(super) async fn compare(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    tested: &Tested,
) -> Result<Ledger, StepError> {
    // The tests of the change have run in the other one.
    let step = step.with_commands(CommandSandbox::for_base());
    let ledger = compare_in(&step, workspace, tested).await;
    step.finish_commands();
    ledger
}

async fn compare_in(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    tested: &Tested,
) -> Result<Ledger, StepError> {
    let place = step.place;
    let base = workspace.fork_point(place).await?.to_string();
    let environment = project_command::environment(step, &workspace.path).await?;
    let (context, folder) = (step.context.clone(), workspace.path.clone());
    let settings = place.settings.clone();
    let known = known_run::recall(step, &base);
    context.say(match known {
        Some(_) => "compares the tests with what is known of those before the change",
        None => "compares the tests with those before the change",
    });
    let cx = tools::environment_context(step, environment).with_events(move |_| context.tick());
    let (commit, before) = (base.clone(), known.clone());
    let prepared = Prepared::load(step);
    let (cases, run, reported) = (tested.cases.clone(), tested.run, tested.reported.clone());
    let ledger = blocking::run(&step.context.cancel, move |cancel| async move {
        ledger::compare(Request {
            folder: &folder,
            base: &commit,
            cx: &cx.with_cancel(cancel),
            preferred: &settings.preferred,
            timeout_seconds: settings.command_limit.as_secs().max(1),
            head: Head {
                cases: &cases,
                run,
                failures: &reported,
            },
            built: prepared.as_ref().map_or(&[], Prepared::copied_folders),
            before,
        })
        .await
    })
    .await?;
    step.go_on()?;
    if let (None, Some(before)) = (&known, &ledger.before) {
        known_run::keep(step, &base, before)?;
    }
    for line in in_words(&ledger) {
        step.context.say(&line);
    }
    Ok(ledger)
}

/// Puts the tests that fail into the list for the fixer, except those that
/// failed before the change for the same reason: they are not its fault. But
/// tests of which none passes prove nothing, which is said once nothing else is
/// left to mend.
pub(super) fn judge_failures(
    step: &AgentStep<'_>,
    ledger: &Ledger,
    tested: &Tested,
    summary: &mut Summary,
    failures: &mut Failures,
) -> Result<(), StepError> {
    let is_old = |failure: &ReportedFailure| ledger.failed_before.contains(&failure.name);
    if tested.reported.is_empty() || !tested.reported.iter().all(is_old) {
        let reported = tested.reported.iter().map(Some).chain(iter::repeat(None));
        for (text, failure) in tested.failed.iter().zip(reported) {
            if !failure.is_some_and(is_old) {
                failures.add(kinds::TEST, text);
            }
        }
        return Ok(());
    }
    for text in &tested.failed {
        let told = format!("fails before the change as well: {}", one_line(text, 300));
        step.context.notice(&told);
    }
    if tested.passed == 0 && failures.is_empty() {
        let mut error = StepError::objection(format!(
            "the tests fail before the change as well, and none of them passes, so they prove nothing about it; \
             mend them or set `commands.test`: {}",
            one_line(&tested.failed.join("; "), 600)
        ));
        // No fix of the code would help, and neither would waiting.
        error.0.kind = FailureKind::Permanent;
        return StepError::unless_accepted(Err(error), step);
    }
    summary.tests = Some(format!(
        "passed ({}/{}; {} as before the change)",
        tested.passed,
        tested.run,
        match tested.failed.len() {
            1 => "1 fails".to_owned(),
            count => format!("{count} fail"),
        }
    ));
    Ok(())
}

/// Puts what ought to have run into the list for the fixer. What it was told
/// before and is still so, a person decides.
pub(super) fn judge(
    step: &AgentStep<'_>,
    ledger: &Ledger,
    failures: &mut Failures,
) -> Option<StepQuestion> {
    let differences = ledger.differences.iter();
    let open = step.unaccepted(differences.map(|one| objection_to(step, one)).collect());
    let told: Vec<String> = open.iter().map(|objection| step.told(objection)).collect();
    if told.is_empty() {
        return None;
    }
    // Someone else's change may remove tests on purpose, which only people know.
    let is_adopted = step.goal().pull_request.is_some();
    let was_told = is_adopted || told.iter().all(|one| was_told(step, one));
    if was_told && !step.is_unattended() && !step.was_told(FIX) {
        let text = format!("tests that ought to run do not: {}", told.join("; "));
        return Some(StepQuestion {
            text,
            options: vec![
                Choice::new(ACCEPT, "accept it as it is; --comment says why"),
                Choice::new(FIX, "have it fixed"),
            ],
            objections: open,
        });
    }
    for one in &told {
        failures.add(kinds::TEST, one);
    }
    None
}

const FIX: char = 'f';

fn objection_to(step: &AgentStep<'_>, difference: &Difference) -> Objection {
    let text = difference.to_string();
    let subject = match difference {
        // Tests that are not named are not known in another run.
        Difference::More { .. } => format!("{text} {}", step.call.run()),
        _ => text.clone(),
    };
    acceptance::objection("evidence/tests", &subject, &text)
}

fn was_told(step: &AgentStep<'_>, what: &str) -> bool {
    let passed = step.call.state.passed().iter();
    passed
        .filter_map(|one| match &*one.handoff {
            Handoff::ValidationFailed(failed) => Some(&failed.failures),
            _ => None,
        })
        .flatten()
        .any(|failure| failure.description == what)
}

fn in_words(ledger: &Ledger) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(before) = ledger.before.as_ref().and_then(|before| before.counted) {
        lines.push(format!(
            "{before} tests ran before the change, {} after it",
            ledger.after
        ));
    }
    if let Some(SourceTests { count, file }) = &ledger.unfound {
        lines.push(format!(
            "none of the {count} tests that the source had before the change ran; most of them are in {file}"
        ));
    }
    if let Some(unknown) = &ledger.unknown {
        lines.push(format!("tests before the change: {unknown}"));
    }
    let (added, pass) = (ledger.added.len(), ledger.pass_without_change.len());
    if pass > 0 {
        let names: Vec<&str> = ledger
            .pass_without_change
            .iter()
            .take(5)
            .map(String::as_str)
            .collect();
        let names = one_line(&names.join(", "), 200);
        lines.push(format!(
            "{pass} of {added} new tests pass without the change as well, and prove nothing about it: {names}"
        ));
    }
    lines
}
