//! Proposes the targets of make.

use super::{Runner, known_tasks};
use crate::detect::parse;
use crate::detect::proposal::{Proposal, Surroundings, Tier};

/// In make's own order.
const FILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

pub(super) fn proposals(surroundings: Surroundings<'_>) -> Vec<Proposal> {
    let files = surroundings.files;
    let Some(file) = files.first(&FILES) else {
        return Vec::new();
    };
    let targets = files
        .text(file)
        .map(|text| parse::makefile_targets(&text))
        .unwrap_or_default();
    let runner = Runner::new(surroundings, "make", Tier::Target);
    known_tasks(&targets)
        .map(|(purpose, target)| {
            runner.proposal(
                purpose,
                format!("make {target}"),
                (file, target),
                format!("{file} has the target {target}"),
            )
        })
        .collect()
}
