//! May it be merged, and if not, what stands in the way?

mod blockers;
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
mod standing;
mod state;
#[cfg(test)]
mod tests;
mod workflows;

use baton_protocol::tools::check_merge_readiness::{
    CheckMergeReadinessInput, CheckMergeReadinessOutput,
};

pub(super) use standing::{Blocker, Standing, standing};

use super::context::PullContext;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};

pub struct CheckMergeReadiness;

impl Operation for CheckMergeReadiness {
    const META: Meta = Meta {
        name: "check_merge_readiness",
        title: "Check merge readiness",
        about: "May it be merged, and if not, what stands in the way?",
        description: "Goes through every rule of the branch that a pull request goes to, from branch protection and \
            rulesets, and says for each whether it is satisfied, failing or unknown, the field that proves it, who can \
            clear it and with which command. Finds required checks that can never report. Ready means that everything \
            is known to be satisfied. Call it before merging, and when a forge says only that merging is blocked.",
        input: "check_merge_readiness.input",
        output: "check_merge_readiness.output",
        effects: Effects::READ_REMOTE,
        may_last: operation::never,
    };
    type Input = CheckMergeReadinessInput;
    type Output = CheckMergeReadinessOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let cx = cx.pulls(&[&input.pr]).await?;
        cx.until_cancelled(check(&cx, &input)).await
    }
}

async fn check(
    cx: &PullContext,
    input: &CheckMergeReadinessInput,
) -> Result<CheckMergeReadinessOutput, OpError> {
    let reference = cx.reference(&input.pr)?;
    let found = Box::pin(fetching::all(
        cx,
        reference.repository(),
        reference.number(),
    ))
    .await?;
    Ok(output::build(&found, cx.optional_checks))
}
