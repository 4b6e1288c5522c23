//! Runs of the workflow, for agents: started in a process of their own, so that
//! they outlive whoever asked for them. To clients that take tasks, a run is one,
//! by its own name.

mod desk;
mod tasks;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use baton_protocol::tools::answer_workflow::AnswerWorkflowInput;
use baton_protocol::tools::cancel_workflow::CancelWorkflowInput;
use baton_protocol::tools::get_workflow::GetWorkflowInput;
use baton_protocol::tools::list_workflows::ListWorkflowsInput;
use baton_protocol::tools::start_workflow::StartWorkflowInput;
use baton_protocol::tools::workflow::WorkflowMode;
use baton_serve::mcp::{Call, Durable, Hints, Offer, Outcome};
use baton_workflow::{Answer, Mode};

use self::desk::{Desk, engine_failed};
use super::{failed, invalid, never_lasts, to_json};
use crate::runs::{self, Order};
use crate::session::Session;

/// How many runs are listed unless the call says otherwise.
const USUAL_LIMIT: u64 = 20;

/// They act on GitHub and let an agent write code.
const ACTING: Hints = Hints {
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: true,
};

pub(super) fn offers(session: &Arc<Session>) -> Vec<Offer> {
    let desk = Arc::new(Desk::new(Arc::clone(session)));
    vec![
        start(&desk),
        get(&desk),
        answer(&desk),
        cancel(&desk),
        list(&desk),
    ]
}

fn start(desk: &Arc<Desk>) -> Offer {
    Offer {
        name: "start_workflow",
        title: "Start a workflow",
        description: "Starts a run that carries a request or an issue to a merged pull request: \
            issue, worktree, a coding agent that writes, review, fixes, CI, merge. It goes on in \
            the background, survives crashes, and is known by the `run` of the answer. Call it \
            when somebody wants work done from start to end; then follow it with `get_workflow`.",
        input: Offer::entry("start_workflow.input"),
        output: Offer::entry("start_workflow.output"),
        hints: ACTING,
        may_last: never_lasts,
        durable: Some(Arc::clone(desk) as Arc<dyn Durable>),
        run: run_with(desk, |desk, call| async move {
            let input = StartWorkflowInput::read(&call.input).map_err(|e| invalid(&e))?;
            let order = Order {
                what: input.request,
                repository: input.repository,
                agent: input.agent,
                mode: input.mode.map(mode),
                base: input.base_branch,
                unattended: false,
            };
            let prepared = runs::prepare(&order, &desk.session, &call.cancel).await;
            let (goal, policy) = prepared.map_err(|error| failed(&error))?;
            let engine = desk.engine().await?;
            let created = engine.create(goal, policy).await;
            let run = created.map_err(|error| engine_failed(&error))?;
            desk.drive_in_background(&run).await?;
            desk.described(&run, Some(true)).await
        }),
    }
}

fn get(desk: &Arc<Desk>) -> Offer {
    Offer {
        name: "get_workflow",
        title: "Look at a workflow",
        description: "Tells where a run stands: status, the step under way, its question if it \
            asks one, issue and pull request, every handoff, what it has cost. With \
            `wait_seconds` (45 at most) it answers when the status has changed, or after that \
            time. Call it \
            again until `status` is closed, failed, cancelled or waiting.",
        input: Offer::entry("get_workflow.input"),
        output: Offer::entry("get_workflow.output"),
        hints: Hints::READ_ONLY,
        may_last: never_lasts,
        durable: None,
        run: run_with(desk, |desk, call| async move {
            let input = GetWorkflowInput::read(&call.input).map_err(|e| invalid(&e))?;
            let run = desk.find(&input.run).await?;
            let wait = Duration::from_secs(input.wait_seconds.unwrap_or_default());
            desk.wait_for_news(&run, wait, &call).await?;
            desk.described(&run, None).await
        }),
    }
}

fn answer(desk: &Arc<Desk>) -> Offer {
    Offer {
        name: "answer_workflow",
        title: "Answer a workflow's question",
        description: "Answers the question that a run asks, with the `choice` of one of its \
            options; the run then goes on. A question is for a person to decide: ask one unless \
            you were told what to answer.",
        input: Offer::entry("answer_workflow.input"),
        output: Offer::entry("answer_workflow.output"),
        hints: ACTING,
        may_last: never_lasts,
        durable: None,
        run: run_with(desk, |desk, call| async move {
            let input = AnswerWorkflowInput::read(&call.input).map_err(|e| invalid(&e))?;
            let run = desk.find(&input.run).await?;
            let answer = Answer {
                choice: input.choice.chars().next().unwrap_or_default(),
                comment: input.comment,
            };
            let answered = desk.engine().await?.answer(&run, answer).await;
            answered.map_err(|error| engine_failed(&error))?;
            desk.see_to(&run).await?;
            desk.described(&run, Some(true)).await
        }),
    }
}

fn cancel(desk: &Arc<Desk>) -> Offer {
    Offer {
        name: "cancel_workflow",
        title: "Cancel a workflow",
        description: "Ends a run early: what is under way is stopped, and its worktree and \
            branch are cleaned up. `get_workflow` tells when it has ended.",
        input: Offer::entry("cancel_workflow.input"),
        output: Offer::entry("cancel_workflow.output"),
        hints: ACTING,
        may_last: never_lasts,
        durable: None,
        run: run_with(desk, |desk, call| async move {
            let input = CancelWorkflowInput::read(&call.input).map_err(|e| invalid(&e))?;
            let run = desk.find(&input.run).await?;
            let reason = input.reason.as_deref().unwrap_or("an agent asked for it");
            let cancelled = desk.engine().await?.cancel(&run, reason).await;
            cancelled.map_err(|error| engine_failed(&error))?;
            desk.see_to(&run).await?;
            desk.described(&run, Some(true)).await
        }),
    }
}

fn list(desk: &Arc<Desk>) -> Offer {
    Offer {
        name: "list_workflows",
        title: "List workflows",
        description: "Lists the runs on this machine, the newest first, each with its status. \
            Call it to find a run whose name you do not know.",
        input: Offer::entry("list_workflows.input"),
        output: Offer::entry("list_workflows.output"),
        hints: Hints::READ_ONLY,
        may_last: never_lasts,
        durable: None,
        run: run_with(desk, |desk, call| async move {
            let input = ListWorkflowsInput::read(&call.input).map_err(|e| invalid(&e))?;
            let limit = input.limit.unwrap_or(USUAL_LIMIT);
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            let engine = desk.engine().await?;
            let listed = runs::list(engine, input.open == Some(true), limit).await;
            Ok(to_json(&listed.map_err(|error| failed(&error))?))
        }),
    }
}

fn run_with<F>(desk: &Arc<Desk>, run: fn(Arc<Desk>, Call) -> F) -> baton_serve::mcp::Run
where
    F: Future<Output = Outcome> + Send + 'static,
{
    let desk = Arc::clone(desk);
    Arc::new(move |call| Box::pin(run(Arc::clone(&desk), call)))
}

fn mode(mode: WorkflowMode) -> Mode {
    match mode {
        WorkflowMode::Autonomous => Mode::Autonomous,
        WorkflowMode::Semi => Mode::Semi,
        WorkflowMode::Supervised => Mode::Supervised,
    }
}
