//! What the coding agent is told.

use baton_workflow::Guidance;

use crate::AgentStep;
use crate::coder::WorktreeState;
use crate::step_error::StepError;
use crate::fence::{EXPLANATION, fenced};
use crate::handoffs;
use crate::prompt_parts;
use crate::workspace::Workspace;

const MAX_GUIDANCE: usize = 4_000;

pub(super) async fn write(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    state: WorktreeState,
) -> Result<String, StepError> {
    let number = handoffs::number(handoffs::issue(step)?.issue_number)?;
    let mut parts = vec![rules(step, workspace, number), EXPLANATION.to_owned()];
    parts.extend(prompt_parts::issue(step).await?);
    parts.extend(prompt_parts::commands(step, workspace));
    parts.extend(
        workspace
            .port
            .map(|port| format!("A server that you start for a look may use the port {port}.")),
    );
    parts.extend(prompt_parts::conventions(step, workspace).await?);
    parts.extend(earlier(step, state));
    Ok(parts.join("\n\n") + "\n")
}

fn rules(step: &AgentStep<'_>, workspace: &Workspace, issue: u32) -> String {
    format!(
        "Resolve issue #{issue} of {repository} in this git worktree.\n\n\
         - Work in {path} only, on the branch {branch}, which is checked out. Change nothing outside.\n\
         - Write the code and the tests for it. Run the build and the tests before you say that you are done.\n\
         - Do not delete, skip or weaken tests, checks or settings of linters to make something pass.\n\
         - Write code as the rest of the repository does, and as its conventions below say.\n\
         - Commit if you like, in small steps with conventional subjects; what you leave uncommitted is committed for you. Do not push, and open no pull request.\n\
         - No one can answer questions. Decide for yourself, and keep to what the issue asks for.",
        repository = step.place.repository,
        path = workspace.path.display(),
        branch = workspace.branch,
    )
}

fn earlier(step: &AgentStep<'_>, state: WorktreeState) -> Vec<String> {
    let mut parts = Vec::new();
    if state == WorktreeState::PutBack {
        let text = "This was begun before, and cut off. What the earlier try has committed is here; the rest of it is gone.";
        parts.push(text.to_owned());
    } else if state == WorktreeState::CutOff || step.call.attempt > 1 {
        let text = "This was begun before. What is in the worktree was left by the earlier try: look at it first, and go on from there.";
        parts.push(text.to_owned());
    }
    for guidance in step.call.guidance() {
        match guidance {
            Guidance::Failure(text) => {
                let what = "why an earlier try did not count";
                parts.push(fenced(step.call.run(), what, text, MAX_GUIDANCE));
            }
            Guidance::Answer(answer) => {
                let said = answer.comment.iter();
                parts.extend(said.map(|said| format!("The person in charge says: {said}")));
            }
        }
    }
    parts
}
