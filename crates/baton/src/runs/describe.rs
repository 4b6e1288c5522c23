//! A run in the words of the contract.

use baton_engine::RunSummary;
use baton_protocol::handoff::Handoff;
use baton_protocol::tools::list_workflows::WorkflowSummary;
use baton_protocol::tools::workflow::{
    Workflow, WorkflowBudget, WorkflowEnding, WorkflowHandoff, WorkflowMode, WorkflowOption,
    WorkflowQuestion, WorkflowStatus, WorkflowStep, WorkflowUntil, WorkflowUsage,
};
use baton_workflow::{Ending, Mode, Question, RunId, Stage, State, Status, Until};
use jiff::Timestamp;

use super::places;
use super::view::summary;
use crate::error::CommandError;

/// `driven`: a living process drives it.
pub(crate) fn describe(state: &State, driven: bool) -> Workflow {
    let start = state.start();
    let question = state
        .question()
        .map(|question| asked(state.run(), question));
    let status = status(state.status());
    Workflow {
        run: start.run.to_string(),
        request: start.goal.request.clone(),
        repository: start.goal.repository.clone(),
        status,
        driven,
        mode: match start.policy.mode {
            Mode::Autonomous => WorkflowMode::Autonomous,
            Mode::Semi => WorkflowMode::Semi,
            Mode::Supervised => WorkflowMode::Supervised,
        },
        until: match start.policy.until {
            Until::Pr => WorkflowUntil::Pr,
            Until::Ready => WorkflowUntil::Ready,
            Until::Merge => WorkflowUntil::Merge,
        },
        agent: places::agent(&start.goal).map(str::to_owned),
        created: moment(state.created()),
        changed: moment(state.changed()),
        step: state.task().map(|task| WorkflowStep {
            name: task.step.word().to_owned(),
            agent: task.step.agent().to_string(),
            attempt: task.attempt,
        }),
        ending: state.ending().and_then(ending),
        issue_url: state
            .passed()
            .iter()
            .rev()
            .find_map(|passed| issue_url(&passed.handoff)),
        pr_url: state
            .passed()
            .iter()
            .rev()
            .find_map(|passed| pr_url(&passed.handoff)),
        handoffs: state
            .passed()
            .iter()
            .map(|passed| WorkflowHandoff {
                key: passed.key.within_run().to_owned(),
                at: moment(passed.at),
                kind: passed.handoff.kind().to_string(),
                summary: summary(&passed.handoff),
            })
            .collect(),
        usage: usage(state),
        budget: WorkflowBudget {
            seconds: state.budget().time.map(|time| time.as_secs()),
            turns: state.budget().turns,
            dollars: state.budget().cost_micros.map(dollars),
        },
        next: next(state.run(), status, driven, question.as_ref()),
        question,
    }
}

/// A run in a list.
pub(super) fn summarize(run: &RunSummary, state: &State) -> WorkflowSummary {
    WorkflowSummary {
        run: run.run.to_string(),
        request: state.start().goal.request.clone(),
        status: Some(status(state.status())),
        driven: run.driven,
        created: moment(run.created),
        changed: moment(run.changed),
        trouble: None,
    }
}

/// The same for a run that cannot be read.
pub(super) fn as_far_as_known(run: &RunSummary, trouble: &CommandError) -> WorkflowSummary {
    let mut told = trouble.in_one_line();
    for hint in trouble.hints() {
        told = format!("{told}. {hint}");
    }
    WorkflowSummary {
        run: run.run.to_string(),
        request: run.request.clone(),
        // A newer baton may have words that this one does not know.
        status: serde_json::from_value(run.status.clone().into()).ok(),
        driven: run.driven,
        created: moment(run.created),
        changed: moment(run.changed),
        trouble: Some(told),
    }
}

/// Millionths of a dollar as dollars.
#[expect(
    clippy::cast_precision_loss,
    reason = "no one spends what a double cannot hold"
)]
pub(super) fn dollars(micros: u64) -> f64 {
    micros as f64 / 1e6
}

/// RFC 3339, to the second.
fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn status(status: Status) -> WorkflowStatus {
    match status {
        Status::At(Stage::Created) => WorkflowStatus::Created,
        Status::At(Stage::Preparing) => WorkflowStatus::Preparing,
        Status::At(Stage::Implementing) => WorkflowStatus::Implementing,
        Status::At(Stage::InReview) => WorkflowStatus::InReview,
        Status::At(Stage::Fixing) => WorkflowStatus::Fixing,
        Status::At(Stage::Validating) => WorkflowStatus::Validating,
        Status::At(Stage::Merging) => WorkflowStatus::Merging,
        Status::At(Stage::Closed) => WorkflowStatus::Closed,
        Status::Blocked => WorkflowStatus::Blocked,
        Status::Waiting => WorkflowStatus::Waiting,
        Status::Done => WorkflowStatus::Done,
        Status::Failed => WorkflowStatus::Failed,
        Status::Cancelled => WorkflowStatus::Cancelled,
    }
}

fn asked(run: &RunId, question: &Question) -> WorkflowQuestion {
    let first = question.options.first().map_or('y', |option| option.key);
    WorkflowQuestion {
        text: question.reason.to_string(),
        options: question
            .options
            .iter()
            .map(|option| WorkflowOption {
                choice: option.key.to_string(),
                label: option.label.clone(),
            })
            .collect(),
        command: format!("baton answer {run} {first}"),
    }
}

fn ending(ending: &Ending) -> Option<WorkflowEnding> {
    match ending {
        Ending::Closed => None,
        Ending::Reached { until, left_behind } => Some(WorkflowEnding {
            reason: reached(*until).to_owned(),
            left_behind: left_behind.clone(),
        }),
        Ending::Failed {
            reason,
            left_behind,
        }
        | Ending::Cancelled {
            reason,
            left_behind,
        } => Some(WorkflowEnding {
            reason: reason.clone(),
            left_behind: left_behind.clone(),
        }),
    }
}

/// Where a run has ended that was not to merge.
pub(super) fn reached(until: Until) -> &'static str {
    match until {
        Until::Pr => "The pull request is open, as a draft; nothing was reviewed or validated.",
        Until::Ready | Until::Merge => "The pull request is ready; the merge is left to people.",
    }
}

fn usage(state: &State) -> WorkflowUsage {
    let usage = state.usage();
    WorkflowUsage {
        active_seconds: state.active().as_secs(),
        turns: usage.turns,
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cost_dollars: dollars(usage.cost_micros),
    }
}

fn next(
    run: &RunId,
    status: WorkflowStatus,
    driven: bool,
    question: Option<&WorkflowQuestion>,
) -> String {
    match (question, status, driven) {
        (_, WorkflowStatus::Closed, _) => {
            "It is done: the pull request is merged and the issue closed.".to_owned()
        }
        (_, WorkflowStatus::Done, _) => {
            "It went as far as it was to go. `baton tend PR` brings the pull request further."
                .to_owned()
        }
        (_, WorkflowStatus::Failed | WorkflowStatus::Cancelled, _) => {
            "It has ended. Start a new run to try again.".to_owned()
        }
        (Some(question), ..) => {
            let choices: Vec<_> = question
                .options
                .iter()
                .map(|option| format!("{} ({})", option.choice, option.label))
                .collect();
            format!(
                "A person has to choose: {}; answer with `baton answer {run} CHOICE`.",
                choices.join(", ")
            )
        }
        (None, _, true) => format!("It goes on by itself; `baton logs -f {run}` shows how."),
        (None, _, false) => format!("It is inactive; `baton resume {run}` goes on."),
    }
}

fn issue_url(handoff: &Handoff) -> Option<String> {
    let url = match handoff {
        Handoff::IssueReady(it) => Some(&it.issue_url),
        Handoff::WorkspaceReady(it) => Some(&it.issue_url),
        Handoff::WorkflowComplete(it) => it.issue_url.as_ref(),
        _ => None,
    };
    url.map(ToString::to_string)
}

fn pr_url(handoff: &Handoff) -> Option<String> {
    let url = match handoff {
        Handoff::Implemented(it) => Some(&it.pr_url),
        Handoff::WorkspaceReady(it) => it.pr_url.as_ref(),
        Handoff::WorkflowComplete(it) => it.pr_url.as_ref(),
        _ => None,
    };
    url.map(ToString::to_string)
}
