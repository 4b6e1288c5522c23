//! May it be merged, and if not, what stands in the way?

mod checks;
mod demand;
mod facts;
mod fetching;
mod holds;
mod ledger;
mod optional_checks;
mod output;
mod reviews;
mod rules;
mod state;
#[cfg(test)]
mod tests;
mod workflows;
mod wrong;

use baton_protocol::tools::check_merge_readiness::{
    CheckMergeReadinessInput, CheckMergeReadinessOutput,
};
use serde_json::Value;

use super::desk::Desk;
use super::tool::{Answer, Effects, Running, Tool};
use super::trouble::ToolError;

pub(super) static TOOL: Tool = Tool {
    name: "check_merge_readiness",
    title: "Check merge readiness",
    about: "May it be merged, and if not, what stands in the way?",
    description: "Goes through every rule of the branch that a pull request goes to, from branch protection and \
        rulesets, and says for each whether it is satisfied, failing or unknown, the field that proves it, who can \
        clear it and with which command. Finds required checks that can never report. Ready means that everything \
        is known to be satisfied. Call it before merging, and when a forge says only that merging is blocked.",
    effects: Effects::ReadOnly,
    run,
};

fn run<'a>(desk: &'a Desk, input: &'a Value) -> Running<'a> {
    Box::pin(async move {
        let input = CheckMergeReadinessInput::read(input)
            .map_err(|problems| ToolError::invalid_input(&problems))?;
        let output = check(desk, &input).await?;
        Ok(Answer::MergeReadiness(Box::new(output)))
    })
}

async fn check(
    desk: &Desk,
    input: &CheckMergeReadinessInput,
) -> Result<CheckMergeReadinessOutput, ToolError> {
    let reference = desk.reference(&input.pr)?;
    let found = Box::pin(fetching::all(
        desk,
        reference.repository(),
        reference.number(),
    ))
    .await?;
    Ok(output::of(&found, desk.optional_checks))
}
