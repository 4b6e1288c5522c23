//! make.

use super::known_tasks;
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
    let tier = Tier::Target.when_installed((surroundings.on_path)("make"));
    known_tasks(&targets)
        .map(|(purpose, target)| {
            Proposal::task(
                purpose,
                tier,
                format!("make {target}"),
                (file, target),
                format!("{file} has the target {target}"),
            )
        })
        .collect()
}
