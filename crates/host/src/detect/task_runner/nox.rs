//! nox.

use baton_protocol::detection::Purpose;

use super::known_tasks;
use crate::detect::parse;
use crate::detect::proposal::{Proposal, Surroundings, Tier};

const FILE: &str = "noxfile.py";

pub(super) fn proposals(surroundings: Surroundings<'_>) -> Vec<Proposal> {
    let Some(text) = surroundings.files.text(FILE) else {
        return Vec::new();
    };
    let tier = Tier::Environment.when_installed((surroundings.on_path)("nox"));
    known_tasks(&parse::nox_sessions(&text))
        .filter(|(purpose, _)| *purpose != Purpose::Start)
        .map(|(purpose, session)| {
            Proposal::task(
                purpose,
                tier,
                format!("nox -s {session}"),
                (FILE, session),
                format!("{FILE} has the session {session}"),
            )
        })
        .collect()
}
