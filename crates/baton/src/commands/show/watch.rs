//! A run as it changes, watched from another process than the one that drives it.

use std::time::Duration;

use baton_engine::Engine;
use baton_protocol::tools::workflow::{Workflow, WorkflowStatus, WorkflowStep};
use baton_workflow::{RunId, State, apply};
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

use crate::error::CommandError;
use crate::exit::Exit;
use crate::runs;
use crate::session::Session;
use crate::terminal::{self, Look, Style, sanitize};

/// Between two looks for a process that drives the run. One that was just started
/// in the background gets as long to show up.
const DRIVER_CHECK: Duration = Duration::from_secs(5);

/// What has to change for a line of its own.
type Seen = (WorkflowStatus, Option<WorkflowStep>);

/// Prints how the run stands and how that changes, until it ends or asks.
pub(super) async fn watch(
    engine: &Engine,
    run: &RunId,
    json: bool,
    session: &Session,
    cancel: &CancellationToken,
) -> Result<Exit, CommandError> {
    let (mut state, mut follower) = engine.watch(run).await.map_err(|e| runs::failed(&e))?;
    let mut seen: Option<Seen> = None;
    let mut hint = UndrivenHint::default();
    let mut checks = interval_at(Instant::now() + DRIVER_CHECK, DRIVER_CHECK);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let driven = runs::is_driven(engine, run).await?;
        let workflow = runs::describe(&state, driven);
        let now = (workflow.status, workflow.step.clone());
        if seen.as_ref() != Some(&now) {
            terminal::result(&line(&state, &workflow, json))?;
            seen = Some(now);
        }
        if state.ending().is_some() || runs::needs_a_person(&state) {
            if let Some(question) = state.question() {
                runs::show_question(run, question, Look::for_stderr(&session.environment));
            }
            return Ok(runs::exit_of(&state));
        }
        let next = tokio::select! {
            next = follower.next() => next.map_err(|error| runs::failed(&error))?,
            _ = checks.tick() => {
                hint.tell(run, runs::is_driven(engine, run).await?);
                continue;
            }
            () = cancel.cancelled() => return Err(left(run)),
        };
        let applied = next.map(|recorded| apply(state.clone(), &recorded.event));
        state = match applied {
            Some(Ok(state)) => state,
            Some(Err(_)) | None => engine.state(run).await.map_err(|e| runs::failed(&e))?,
        };
    }
}

fn left(run: &RunId) -> CommandError {
    CommandError::interrupted().hint(format!(
        "Only the watching has ended; the run is as it was. `baton cancel {run}` ends the run."
    ))
}

/// Tells once that nothing will happen by itself.
#[derive(Default)]
struct UndrivenHint {
    told: bool,
}

impl UndrivenHint {
    fn tell(&mut self, run: &RunId, driven: bool) {
        if !driven && !self.told {
            terminal::error_line(&format!(
                "{} The run is inactive; `baton resume {run}` goes on.",
                Style::Hint.paint("hint:")
            ));
        }
        self.told = !driven;
    }
}

fn line(state: &State, workflow: &Workflow, json: bool) -> String {
    if json {
        let value = serde_json::to_value(workflow).expect("a run is plain data");
        return format!("{value}\n");
    }
    let at = state.changed().strftime("%Y-%m-%d %H:%M:%S");
    let word = state.status().word().replace('_', " ");
    let what = sanitize(&about(workflow)).replace(['\n', '\t'], " ");
    let line = format!("{}  {word:<13} {what}", Style::Dim.paint(at));
    format!("{}\n", line.trim_end())
}

/// What there is to say beside the status.
fn about(workflow: &Workflow) -> String {
    if let Some(ending) = &workflow.ending {
        return ending.reason.clone();
    }
    if let Some(question) = &workflow.question {
        return question.text.clone();
    }
    match (&workflow.step, workflow.status) {
        (_, WorkflowStatus::Closed) => workflow.pr_url.clone().unwrap_or_default(),
        (Some(step), _) if step.attempt > 1 => {
            format!("{} ({}), try {}", step.name, step.agent, step.attempt)
        }
        (Some(step), _) => format!("{} ({})", step.name, step.agent),
        (None, _) => String::new(),
    }
}
