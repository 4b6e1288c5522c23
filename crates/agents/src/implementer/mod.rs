//! implementer-agent: lets a coding agent work in the workspace, looks at what
//! came of it, and opens the pull request.

mod commit_groups;
mod evidence;
mod figures;
mod outside;
mod prompt;
mod publish;
mod template;

use baton_engine::StepResult;
use baton_engine::agent::{AgentEnd, AgentReport, Role};
use baton_workflow::{ACCEPT, Choice, Report, StepQuestion, Usage};
use serde_json::{Value, json};

use self::outside::Watch;
use crate::AgentStep;
use crate::coder;
use crate::handoffs;
use crate::step_error::{self, StepError};
use crate::workspace::Workspace;

pub(crate) use publish::run as publish;

/// What people can answer where files changed that no one was to touch.
const IT_WAS_ME: char = 'm';

/// The note that says that the agent has ended its work.
const WORKED: &str = "worked";

pub(crate) async fn implement(step: &AgentStep<'_>) -> StepResult {
    let mut usage = Usage::default();
    let outcome = work(step, &mut usage).await;
    step_error::result(outcome, usage)
}

async fn work(step: &AgentStep<'_>, usage: &mut Usage) -> Result<Report, StepError> {
    let workspace = Workspace::open(step).await?;
    let issue = handoffs::issue(step)?;
    let worked = match Worked::recall(step).await? {
        Some(worked) => worked,
        None => let_agent_work(step, &workspace, usage).await?,
    };
    *usage = worked.usage;
    if !worked.outside.is_empty() && !step.was_told(IT_WAS_ME) {
        return Ok(ask_about(&worked.outside, &workspace));
    }
    step.context.say("looking at what has changed");
    commit_groups::commit(step, &workspace, issue).await?;
    workspace.renew_copy(step).await?;
    let checked = evidence::check(step, &workspace, issue).await;
    StepError::unless_accepted(checked, step)?;
    Ok(Report::Done)
}

async fn let_agent_work(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    usage: &mut Usage,
) -> Result<Worked, StepError> {
    let state = coder::settle(step, workspace).await?;
    let prompt = prompt::write(step, workspace, state).await?;
    let watch = Watch::begin(step, workspace).await?;
    let report = coder::work(step, workspace, &prompt, state).await?;
    *usage = report.usage;
    let outside = watch.changes().await?;
    let verdict = judge(step, &report, workspace).await;
    let is_over = matches!(report.end, AgentEnd::Cancelled | AgentEnd::TimedOut(_));
    // Whether the work is good can wait until someone has looked at those files.
    if outside.is_empty() || is_over {
        verdict?;
    }
    let worked = Worked {
        attempt: step.call.attempt,
        usage: report.usage,
        outside,
    };
    worked.remember(step).await?;
    Ok(worked)
}

/// An agent that says that it is done and changed nothing may have done it all
/// before it was cut off. Then there is something to show.
async fn judge(
    step: &AgentStep<'_>,
    report: &AgentReport,
    workspace: &Workspace,
) -> Result<(), StepError> {
    let was_cut_off = step.call.resumed || step.call.attempt > 1;
    if report.end == AgentEnd::Claimed && !report.changed && was_cut_off {
        let tree = workspace.git.working_tree().await?;
        if tree != workspace.git.tree(workspace.begun.as_str()).await? {
            return Ok(());
        }
    }
    Ok(report.verdict(Role::Writer)?)
}

fn ask_about(outside: &[String], workspace: &Workspace) -> Report {
    let text = format!(
        "while the agent worked in {}, files outside of it changed: {}; look at them before you go on",
        workspace.path.display(),
        outside.join(", ")
    );
    Report::Asks {
        question: StepQuestion {
            text,
            options: vec![Choice::new(IT_WAS_ME, "it was me, or it is fine: go on")],
            objections: Vec::new(),
        },
    }
}

/// The agent has ended, and what it took. After a crash it is not asked again.
struct Worked {
    attempt: u32,
    usage: Usage,
    /// Files that changed and do not belong to the workspace.
    outside: Vec<String>,
}

impl Worked {
    async fn remember(&self, step: &AgentStep<'_>) -> Result<(), StepError> {
        let Usage {
            turns,
            input_tokens,
            output_tokens,
            cost_micros,
            elapsed_ms: _,
        } = self.usage;
        let note = json!({
            "attempt": self.attempt,
            "usage": [turns, input_tokens, output_tokens, cost_micros],
            "outside": self.outside,
        });
        Ok(step.context.remember(WORKED, note.to_string()).await?)
    }

    /// Only what this very try has done counts: another one is made because that
    /// was not enough.
    async fn recall(step: &AgentStep<'_>) -> Result<Option<Self>, StepError> {
        let note = step.context.recall(WORKED).await?.unwrap_or_default();
        let note: Value = serde_json::from_slice(&note).unwrap_or_default();
        let is_this_try = note["attempt"].as_u64() == Some(step.call.attempt.into());
        // What a person accepts is not made again.
        let is_accepted = !note.is_null() && step.was_told(ACCEPT);
        if !is_this_try && !is_accepted {
            return Ok(None);
        }
        let usage = |index: usize| note["usage"][index].as_u64().unwrap_or_default();
        let outside = note["outside"].as_array().into_iter().flatten();
        Ok(Some(Self {
            attempt: step.call.attempt,
            usage: Usage {
                turns: usage(0),
                input_tokens: usage(1),
                output_tokens: usage(2),
                cost_micros: usage(3),
                ..Usage::default()
            },
            outside: outside
                .filter_map(|path| path.as_str().map(str::to_owned))
                .collect(),
        }))
    }
}
