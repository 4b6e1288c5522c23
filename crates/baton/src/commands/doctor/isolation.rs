//! Which sandboxes this system offers, and which are chosen.

use std::path::Path;

use baton_sandbox::{Isolation, Level};

use super::checks::Check;
use crate::runs::sandbox;
use crate::session::Session;

const AREA: &str = "Sandbox";

pub(super) fn sandbox(here: &Path, session: &Session) -> Vec<Check> {
    let settings = session
        .config_at(here)
        .and_then(|config| sandbox::settings(&config, &session.environment));
    let settings = match settings {
        Ok(settings) => settings,
        Err(error) => {
            let next = error.hints().join(" ");
            return vec![Check::note(AREA, error.in_one_line(), next)];
        }
    };
    let [writer, reader, commands] =
        [settings.writer, settings.reader, settings.commands].map(Level::name);
    let mut checks = vec![match settings.support.isolation {
        Some(Isolation::Namespaces) => Check::fine(AREA, "namespaces and Landlock"),
        Some(Isolation::FilesOnly) => Check::fine(AREA, "Landlock"),
        None => Check::note(
            AREA,
            "none: coding agents run with your rights",
            "Use a kernel with Landlock, or set sandbox.image.",
        ),
    }];
    checks.extend(
        settings
            .support
            .missing
            .iter()
            .map(|missing| Check::note(AREA, missing.to_string(), NAMESPACES)),
    );
    if [writer, reader, commands].contains(&"off") {
        checks.push(Check::note(
            AREA,
            format!("agents {writer}, reviewers {reader}, project commands {commands}"),
            "Set sandbox.level to `standard` in your configuration.",
        ));
    } else {
        let chosen = format!("agents {writer}, reviewers {reader}, project commands {commands}");
        checks.push(Check::fine(AREA, chosen));
    }
    checks
}

const NAMESPACES: &str = "docs/security.md says what is lost, and how to allow namespaces.";
