use std::path::Path;
use std::sync::Arc;

use baton_protocol::tools::detect_project::DetectProjectInput;
use baton_serve::mcp::{Hints, Offer, Outcome};
use serde_json::Value;

use super::{failed, in_a_thread, invalid, never_lasts, refused, to_json};
use crate::commands::detect;
use crate::session::Session;
use crate::terminal::harmless;

pub(super) fn offer(session: Arc<Session>) -> Offer {
    Offer {
        name: "detect_project",
        title: "Detect a project's tools",
        description: "Looks at a project's files and tells its language, frameworks, packages and \
            the commands that install, format, lint, build and test it, each with the reason. \
            Call it before you work on a project that you do not know. Runs nothing.",
        input: Offer::entry("detect_project.input"),
        output: Offer::entry("detect.output"),
        hints: Hints::READ_ONLY,
        may_last: never_lasts,
        durable: None,
        run: Arc::new(move |call| {
            let session = session.clone();
            Box::pin(in_a_thread(move || look(&session, &call.input)))
        }),
    }
}

fn look(session: &Session, input: &Value) -> Outcome {
    let input = DetectProjectInput::read(input).map_err(|problems| invalid(&problems))?;
    let given = input.folder.as_deref().unwrap_or(".");
    let here = Session::working_directory().map_err(|error| failed(&error))?;
    let folder = here.join(Path::new(given));
    if !folder.is_dir() {
        return Err(refused(
            format!("{} is no folder", harmless(given)),
            "Give the absolute path of a project's folder on this machine.",
        ));
    }
    let config = session.config_at(&folder).map_err(|error| failed(&error))?;
    let project = detect::project(&folder, input.language, &session.environment, &config);
    Ok(to_json(&project))
}
