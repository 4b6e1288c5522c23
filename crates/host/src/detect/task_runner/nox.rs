//! Proposes the sessions of nox.

use baton_protocol::detection::Purpose;

use super::{Runner, known_tasks};
use crate::detect::parse;
use crate::detect::proposal::{Proposal, Surroundings, Tier};

const FILE: &str = "noxfile.py";

pub(super) fn proposals(surroundings: Surroundings<'_>) -> Vec<Proposal> {
    let Some(text) = surroundings.files.text(FILE) else {
        return Vec::new();
    };
    let runner = Runner::new(surroundings, "nox", Tier::Environment);
    known_tasks(&parse::nox_sessions(&text))
        .filter(|(purpose, _)| *purpose != Purpose::Start)
        .map(|(purpose, session)| {
            runner.proposal(
                purpose,
                format!("nox -s {session}"),
                (FILE, session),
                format!("{FILE} has the session {session}"),
            )
        })
        .collect()
}
