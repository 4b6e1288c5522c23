//! The pull-request tools, asked by a step.

use baton_ops::pulls::{self, Answer, Desk, Patience, Progress, ToolError};
use baton_remote::github::questions::review_discussion::ReviewThread;
use serde_json::{Value, json};

use crate::AgentStep;
use crate::step_error::StepError;
use crate::pull::Pull;

/// Asks one of the tools, and reports what it waits for.
pub(crate) async fn ask(
    step: &AgentStep<'_>,
    tool: &str,
    input: &Value,
) -> Result<Answer, ToolError> {
    let tool = pulls::find(tool).expect("the names of tools are written in this crate");
    tool.call(&desk(step), input).await
}

/// Resolves a thread for a reason that is written into it.
pub(crate) async fn resolve_thread(
    step: &AgentStep<'_>,
    pull: &Pull,
    thread: &ReviewThread,
    reason: &str,
) -> Result<(), StepError> {
    let input = json!({
        "pr": pull.reference(step),
        "thread": thread.place.id.as_str(),
        "reason": reason,
        "key": step.context.key().as_str(),
    });
    ask(step, "resolve_review_thread", &input).await?;
    Ok(())
}

fn desk(step: &AgentStep<'_>) -> Desk {
    let place = step.place;
    let context = step.context.clone();
    Desk {
        github: place.github.clone(),
        workplace: place.workplace.clone(),
        here: Some(place.repository.clone()),
        cursors: place.cursors.clone(),
        state: place.state_dir.clone(),
        patience: Patience {
            longest: place.settings.ci_patience,
            interval: place.settings.ci_interval,
        },
        optional_checks: place.settings.optional_checks,
        progress: Progress::new(move |what| context.say(what)),
        cancel: step.context.cancel.clone(),
    }
}
