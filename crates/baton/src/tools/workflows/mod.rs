//! Runs of the workflow, for agents: started in a process of their own, so that
//! they outlive the client that asked for them. To clients that take tasks, a run
//! is one, by its own name.

mod access;
mod tasks;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use baton_ops::operation::{self, AnyOperation};
use baton_ops::{Context, Effects, Meta, OpError, Output};
use baton_protocol::Request;
use baton_protocol::tools::answer_workflow::AnswerWorkflowInput;
use baton_protocol::tools::cancel_workflow::CancelWorkflowInput;
use baton_protocol::tools::get_workflow::GetWorkflowInput;
use baton_protocol::tools::list_workflows::{ListWorkflowsInput, ListWorkflowsOutput};
use baton_protocol::tools::start_workflow::StartWorkflowInput;
use baton_protocol::tools::tend_pull_request::TendPullRequestInput;
use baton_protocol::tools::workflow::{TendUntil, Workflow, WorkflowMode, WorkflowUntil};
use baton_serve::mcp::ToolDef;
use baton_workflow::{Answer, Mode, Until};

use self::access::{RunAccess, engine_failed};
use crate::runs::{self, Order};
use crate::session::Session;

/// The operations that need the engine.
pub(super) fn tools(session: &Session) -> Vec<ToolDef> {
    let runs = Arc::new(RunAccess::new(session.clone()));
    vec![
        ToolDef {
            durable: Some(runs.clone()),
            ..tool(&runs, START, start)
        },
        ToolDef {
            durable: Some(runs.clone()),
            ..tool(&runs, TEND, tend)
        },
        tool(&runs, GET, get),
        tool(&runs, ANSWER, answer),
        tool(&runs, CANCEL, cancel),
        tool(&runs, LIST, list),
    ]
}

fn tool<I, O, F>(
    runs: &Arc<RunAccess>,
    meta: Meta,
    run: fn(Arc<RunAccess>, Context, I) -> F,
) -> ToolDef
where
    I: Request,
    O: Output,
    F: Future<Output = Result<O, OpError>> + Send + 'static,
{
    let runs = Arc::clone(runs);
    AnyOperation::new(meta, move |cx, input| run(Arc::clone(&runs), cx, input)).into()
}

const START: Meta = Meta {
    name: "start_workflow",
    title: "Start a workflow",
    about: "Start a run of the workflow",
    description: "Starts a run that carries a request or an issue to a merged pull request: \
        issue, worktree, a coding agent that writes, review, fixes, CI, merge. It goes on in \
        the background, survives crashes, and is known by the `run` of the answer. Call it \
        when a user wants work done from start to end; then follow it with `get_workflow`.",
    input: "start_workflow.input",
    output: "start_workflow.output",
    effects: Effects::ANYTHING,
    may_last: operation::never,
};

async fn start(
    runs: Arc<RunAccess>,
    cx: Context,
    input: StartWorkflowInput,
) -> Result<Workflow, OpError> {
    let order = Order {
        what: input.request,
        tends: false,
        until: input.until.map(|until| match until {
            WorkflowUntil::Pr => Until::Pr,
            WorkflowUntil::Ready => Until::Ready,
            WorkflowUntil::Merge => Until::Merge,
        }),
        repository: input.repository,
        agent: input.agent,
        mode: input.mode.map(mode),
        base: input.base_branch,
        unattended: false,
        lockdown: cx.lockdown,
    };
    begin(&runs, &cx, &order).await
}

async fn begin(runs: &RunAccess, cx: &Context, order: &Order) -> Result<Workflow, OpError> {
    let (goal, policy) = runs::prepare(order, &runs.session, &cx.cancel).await?;
    let created = runs.engine().await?.create(goal, policy).await;
    let run = created.map_err(|error| engine_failed(&error))?;
    runs.drive_in_background(&run).await?;
    runs.described(&run, Some(true)).await
}

const TEND: Meta = Meta {
    name: "tend_pull_request",
    title: "Tend a pull request",
    about: "Bring an open pull request forward until it can be merged",
    description: "Starts a run that brings forward a pull request which is open already: failing checks and what \
        reviews ask for are fixed or answered, conflicts with the base resolved, flaky jobs run once more, until \
        it is ready or a person has to answer. Never merges unless `until` is `merge`. Follow it with \
        `get_workflow`.",
    input: "tend_pull_request.input",
    output: "tend_pull_request.output",
    effects: Effects::ANYTHING,
    may_last: operation::never,
};

async fn tend(
    runs: Arc<RunAccess>,
    cx: Context,
    input: TendPullRequestInput,
) -> Result<Workflow, OpError> {
    let order = Order {
        what: input.pr,
        tends: true,
        until: input.until.map(|until| match until {
            TendUntil::Ready => Until::Ready,
            TendUntil::Merge => Until::Merge,
        }),
        repository: input.repository,
        agent: input.agent,
        mode: input.mode.map(mode),
        base: None,
        unattended: false,
        lockdown: cx.lockdown,
    };
    begin(&runs, &cx, &order).await
}

/// What acts on runs of this machine alone, whatever a token allows.
pub(super) const STEERING: [&str; 2] = ["answer_workflow", "cancel_workflow"];

const GET: Meta = Meta {
    name: "get_workflow",
    title: "Look at a workflow",
    about: "Look at a run of the workflow",
    description: "Tells where a run stands: status, the step under way, its question if it \
        asks one, issue and pull request, every handoff, what it has cost. With \
        `wait_seconds` (45 at most) it answers when the status has changed, or after that \
        time. Call it \
        again until `status` is closed, done, failed, cancelled or waiting.",
    input: "get_workflow.input",
    output: "get_workflow.output",
    effects: Effects::READ_ONLY,
    may_last: operation::never,
};

async fn get(
    runs: Arc<RunAccess>,
    cx: Context,
    input: GetWorkflowInput,
) -> Result<Workflow, OpError> {
    let run = runs.find(&input.run).await?;
    let wait = Duration::from_secs(input.wait_seconds);
    runs.wait_for_news(&run, wait, &cx).await?;
    runs.described(&run, None).await
}

const ANSWER: Meta = Meta {
    name: "answer_workflow",
    title: "Answer a workflow's question",
    about: "Answer the question of a run",
    description: "Answers the question that a run asks, with the `choice` of one of its \
        options; the run then goes on. A question is for a person to decide: ask one unless \
        you were told what to answer.",
    input: "answer_workflow.input",
    output: "answer_workflow.output",
    effects: Effects::ANYTHING,
    may_last: operation::never,
};

async fn answer(
    runs: Arc<RunAccess>,
    _: Context,
    input: AnswerWorkflowInput,
) -> Result<Workflow, OpError> {
    let run = runs.find(&input.run).await?;
    let answer = Answer {
        choice: input.choice.chars().next().unwrap_or_default(),
        comment: input.comment,
    };
    let answered = runs.engine().await?.answer(&run, answer).await;
    answered.map_err(|error| engine_failed(&error))?;
    runs.see_to(&run).await?;
    runs.described(&run, Some(true)).await
}

const CANCEL: Meta = Meta {
    name: "cancel_workflow",
    title: "Cancel a workflow",
    about: "End a run early",
    description: "Ends a run early: what is under way is stopped, and its worktree and \
        branch are cleaned up. `get_workflow` tells when it has ended.",
    input: "cancel_workflow.input",
    output: "cancel_workflow.output",
    effects: Effects::ANYTHING,
    may_last: operation::never,
};

async fn cancel(
    runs: Arc<RunAccess>,
    _: Context,
    input: CancelWorkflowInput,
) -> Result<Workflow, OpError> {
    let run = runs.find(&input.run).await?;
    let reason = input.reason.as_deref().unwrap_or("an agent asked for it");
    let cancelled = runs.engine().await?.cancel(&run, reason).await;
    cancelled.map_err(|error| engine_failed(&error))?;
    runs.see_to(&run).await?;
    runs.described(&run, Some(true)).await
}

const LIST: Meta = Meta {
    name: "list_workflows",
    title: "List workflows",
    about: "List the runs on this machine",
    description: "Lists the runs on this machine, the newest first, each with its status. \
        Call it to find a run whose name you do not know.",
    input: "list_workflows.input",
    output: "list_workflows.output",
    effects: Effects::READ_ONLY,
    may_last: operation::never,
};

async fn list(
    runs: Arc<RunAccess>,
    _: Context,
    input: ListWorkflowsInput,
) -> Result<ListWorkflowsOutput, OpError> {
    let limit = usize::try_from(input.limit).unwrap_or(usize::MAX);
    Ok(runs::list(runs.engine().await?, input.open, limit).await?)
}

fn mode(mode: WorkflowMode) -> Mode {
    match mode {
        WorkflowMode::Autonomous => Mode::Autonomous,
        WorkflowMode::Semi => Mode::Semi,
        WorkflowMode::Supervised => Mode::Supervised,
    }
}
