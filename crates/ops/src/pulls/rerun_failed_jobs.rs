//! Runs the failed jobs of a pull request's head once more.

use std::collections::HashSet;

use baton_protocol::tools::rerun_failed_jobs::{
    RerunAction, RerunFailedJobsInput, RerunFailedJobsOutput, RerunWorkflow,
};
use baton_protocol::{Repository, error_chain};
use baton_remote::github::GitHubErrorKind;
use baton_remote::github::enums::{CheckConclusion, CheckStatus};
use baton_remote::github::resources::workflow_runs::WorkflowRun;

use super::context::PullContext;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};

pub struct RerunFailedJobs;

impl Operation for RerunFailedJobs {
    const META: Meta = Meta {
        name: "rerun_failed_jobs",
        title: "Re-run failed jobs",
        about: "Run the failed jobs of a pull request's head once more",
        description: "Runs the failed jobs of GitHub Actions at the head of a pull request once more, of all workflow \
            runs that failed or of one. What still runs is left alone. Call it when get_failing_tests says that a \
            failure is flaky or came from outside; a re-run proves nothing about a test that fails for a reason.",
        input: "rerun_failed_jobs.input",
        output: "rerun_failed_jobs.output",
        effects: Effects {
            idempotent: false,
            ..Effects::IDEMPOTENT
        },
        may_last: operation::never,
    };
    type Input = RerunFailedJobsInput;
    type Output = RerunFailedJobsOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let cx = cx.pulls(&[&input.pr]).await?;
        cx.until_cancelled(rerun(&cx, &input)).await
    }
}

async fn rerun(
    cx: &PullContext,
    input: &RerunFailedJobsInput,
) -> Result<RerunFailedJobsOutput, OpError> {
    let reference = cx.reference(&input.pr)?;
    let (repository, number) = (reference.repository(), reference.number());
    let pull = cx.github.pull_request(repository, number).await?;
    let head = pull.head.sha;
    let listed = cx.github.workflow_runs(repository, &head).await?;
    let known = newest(listed.items);
    if let Some(run) = input.run
        && !known.iter().any(|known| known.id == run)
    {
        return Err(OpError::logical(
            format!(
                "workflow run {run} is not the newest of its workflow at the head of {repository}#{number}"
            ),
            "Leave it out to re-run all that failed, or take `run_id` of get_failing_tests.",
        ));
    }
    let mut runs = Vec::new();
    for run in known {
        let is_asked = input.run.is_none_or(|asked| asked == run.id);
        if is_asked && let Some(done) = again(cx, repository, run).await? {
            runs.push(done);
        }
    }
    let message = message(&runs);
    Ok(RerunFailedJobsOutput {
        pr: format!("{repository}#{number}"),
        head: head.as_str().to_owned(),
        changed: runs.iter().any(|run| run.action == RerunAction::Started),
        runs,
        message,
    })
}

/// `None`: there is nothing to run again.
async fn again(
    cx: &PullContext,
    repository: &Repository,
    run: WorkflowRun,
) -> Result<Option<RerunWorkflow>, OpError> {
    let (action, reason) = match standing(&run) {
        Standing::Fine => return Ok(None),
        Standing::Running => (RerunAction::StillRunning, None),
        Standing::Failed => match cx.github.rerun_failed_jobs(repository, run.id).await {
            Ok(()) => (RerunAction::Started, None),
            // For instance because the run is too old. Others may still start.
            Err(error)
                if matches!(
                    error.kind(),
                    GitHubErrorKind::Refused { .. } | GitHubErrorKind::Invalid { .. }
                ) =>
            {
                (RerunAction::Refused, Some(error_chain(&error)))
            }
            Err(error) => return Err(error.into()),
        },
    };
    Ok(Some(RerunWorkflow {
        run: run.id,
        name: run.name.unwrap_or_else(|| run.path.clone()),
        html_url: run.html_url,
        attempt: run.run_attempt,
        action,
        reason,
    }))
}

enum Standing {
    Fine,
    Running,
    Failed,
}

fn standing(run: &WorkflowRun) -> Standing {
    match (&run.status, &run.conclusion) {
        (Some(CheckStatus::Completed), Some(conclusion)) => match conclusion {
            CheckConclusion::Failure
            | CheckConclusion::TimedOut
            | CheckConclusion::Cancelled
            | CheckConclusion::StartupFailure => Standing::Failed,
            _ => Standing::Fine,
        },
        _ => Standing::Running,
    }
}

/// The newest run of each workflow for each event: the others were superseded.
fn newest(mut runs: Vec<WorkflowRun>) -> Vec<WorkflowRun> {
    runs.sort_by_key(|run| std::cmp::Reverse(run.id));
    let mut seen = HashSet::new();
    runs.retain(|run| {
        let workflow = if run.path.is_empty() {
            run.name.clone().unwrap_or_default()
        } else {
            run.path.clone()
        };
        seen.insert((workflow, run.event.clone()))
    });
    runs
}

fn message(runs: &[RerunWorkflow]) -> String {
    let count = |action| runs.iter().filter(|run| run.action == action).count();
    let parts = [
        (count(RerunAction::Started), "started again"),
        (count(RerunAction::StillRunning), "still running"),
        (count(RerunAction::Refused), "refused by the server"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if parts.is_empty() {
        return "No workflow run has failed at the head".to_owned();
    }
    format!("Workflow runs: {}", parts.join(", "))
}
