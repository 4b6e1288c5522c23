//! The pull-request tools, asked by a step.

use baton_ops::pulls::{self, Answer, Desk, Patience, Progress, ToolError};
use baton_remote::github::questions::review_discussion::ReviewThread;
use serde_json::{Value, json};

use crate::Errand;
use crate::failure::Setback;
use crate::pull::Pull;

/// Asks one of the tools, and reports what it waits for.
pub(crate) async fn ask(
    errand: &Errand<'_>,
    tool: &str,
    input: &Value,
) -> Result<Answer, ToolError> {
    let tool = pulls::find(tool).expect("the names of tools are written in this crate");
    tool.call(&desk(errand), input).await
}

/// Resolves a thread for a reason that is written into it.
pub(crate) async fn resolve_thread(
    errand: &Errand<'_>,
    pull: &Pull,
    thread: &ReviewThread,
    reason: &str,
) -> Result<(), Setback> {
    let input = json!({
        "pr": pull.reference(errand),
        "thread": thread.place.id.as_str(),
        "reason": reason,
        "key": errand.context.key().as_str(),
    });
    ask(errand, "resolve_review_thread", &input).await?;
    Ok(())
}

fn desk(errand: &Errand<'_>) -> Desk {
    let place = errand.place;
    let context = errand.context.clone();
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
        cancel: errand.context.cancel.clone(),
    }
}
