//! Brings the branch of a pull request up to date with its base, on the server.

use baton_protocol::tools::update_branch::{UpdateBranchInput, UpdateBranchOutput, UpdateStatus};
use baton_remote::github::resources::merging::UpdateOutcome;
use baton_remote::github::resources::pulls::PullRequest;

use super::context::PullContext;
use super::head;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};

pub struct UpdateBranch;

impl Operation for UpdateBranch {
    const META: Meta = Meta {
        name: "update_branch",
        title: "Update the branch of a pull request",
        about: "Merge the base into the branch of a pull request, on the server",
        description: "Merges the base into the branch of a pull request, on the server, when the branch is behind. \
            Changes nothing when there are conflicts (see detect_merge_conflicts) or when someone pushed meanwhile.",
        input: "update_branch.input",
        output: "update_branch.output",
        effects: Effects::IDEMPOTENT,
        may_last: operation::never,
    };
    type Input = UpdateBranchInput;
    type Output = UpdateBranchOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let cx = cx.pulls(&[&input.pr]).await?;
        cx.until_cancelled(update(&cx, &input)).await
    }
}

async fn update(
    cx: &PullContext,
    input: &UpdateBranchInput,
) -> Result<UpdateBranchOutput, OpError> {
    let reference = cx.reference(&input.pr)?;
    let (repository, number) = (reference.repository(), reference.number());
    let pull = cx.github.pull_request(repository, number).await?;
    may_be_updated(&pull, input.expected_head.as_deref())?;
    let head_now = pull.head.sha.as_str();
    // What it lacks only says more: the server decides without it.
    let compared = cx
        .github
        .compare(repository, &pull.base.branch, head_now)
        .await;
    let behind_by = compared.ok().map(|compared| compared.behind_by);
    let outcome = match behind_by {
        Some(0) => None,
        _ => Some(
            cx.github
                .update_branch(repository, number, &pull.head.sha)
                .await?,
        ),
    };
    let base = &pull.base.branch;
    let (status, message) = match outcome {
        None => (
            UpdateStatus::UpToDate,
            format!("The branch has all of {base} already"),
        ),
        Some(UpdateOutcome::Accepted) => (
            UpdateStatus::Accepted,
            format!("{base} is being merged into the branch; its head changes in a moment"),
        ),
        Some(UpdateOutcome::Refused { reason }) => (UpdateStatus::Refused, reason),
        Some(UpdateOutcome::HeadMoved { head: now }) => return Err(head::moved(now.as_str())),
    };
    Ok(UpdateBranchOutput {
        pr: format!("{repository}#{number}"),
        status,
        head: head_now.to_owned(),
        base: base.clone(),
        behind_by,
        message,
    })
}

fn may_be_updated(pull: &PullRequest, expected: Option<&str>) -> Result<(), OpError> {
    if pull.state.as_str() != "open" {
        return Err(OpError::logical(
            format!("the pull request #{} is not open", pull.number),
            "Open it again first, or look for the one that took its place.",
        ));
    }
    head::require(expected, pull.head.sha.as_str())
}
