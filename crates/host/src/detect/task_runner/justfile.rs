//! Proposes the recipes of just.

use super::{Runner, known_tasks};
use crate::detect::parse;
use crate::detect::proposal::{Proposal, Surroundings, Tier};

const FILES: [&str; 3] = ["justfile", "Justfile", ".justfile"];

pub(super) fn proposals(surroundings: Surroundings<'_>) -> Vec<Proposal> {
    let files = surroundings.files;
    let Some(file) = files.first(&FILES) else {
        return Vec::new();
    };
    let recipes = files
        .text(file)
        .map(|text| parse::callable_recipes(&text))
        .unwrap_or_default();
    let runner = Runner::new(surroundings, "just", Tier::Target);
    known_tasks(&recipes)
        .map(|(purpose, recipe)| {
            runner.proposal(
                purpose,
                format!("just {recipe}"),
                (file, recipe),
                format!("{file} has the recipe {recipe}"),
            )
        })
        .collect()
}
