//! The pull-request tools, asked by a step.

use baton_ops::pulls::{self, Answer, Desk, Patience, Progress, ToolError};
use serde_json::Value;

use crate::Errand;

/// Asks one of the tools, and tells whoever watches what it waits for.
pub(crate) async fn ask(
    errand: &Errand<'_>,
    tool: &str,
    input: &Value,
) -> Result<Answer, ToolError> {
    let tool = pulls::find(tool).expect("the names of tools are written in this crate");
    tool.call(&desk(errand), input).await
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
        progress: Progress::new(move |what| context.say(what)),
        cancel: errand.context.cancel.clone(),
    }
}
