//! Runs of the workflow, for agents: started in a process of their own, so that
//! they outlive whoever asked for them.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use baton_engine::{Engine, EngineError};
use baton_protocol::tools::answer_workflow::AnswerWorkflowInput;
use baton_protocol::tools::cancel_workflow::CancelWorkflowInput;
use baton_protocol::tools::get_workflow::GetWorkflowInput;
use baton_protocol::tools::list_workflows::ListWorkflowsInput;
use baton_protocol::tools::start_workflow::StartWorkflowInput;
use baton_protocol::tools::workflow::{WorkflowMode, WorkflowStatus};
use baton_serve::mcp::{Call, Failure, Hints, Offer, Outcome};
use baton_workflow::{Answer, Mode, RunId};
use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep};

use super::{failed, invalid, never_lasts, to_json};
use crate::error::CommandError;
use crate::runs::{self, Order};
use crate::session::Session;

/// Where runs are kept, opened when the first tool needs it.
struct Desk {
    session: Arc<Session>,
    engine: OnceCell<Engine>,
}

/// Between two looks at a run.
const PAUSE: Duration = Duration::from_millis(200);

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
    let desk = Arc::new(Desk {
        session: Arc::clone(session),
        engine: OnceCell::new(),
    });
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
            `wait_seconds` it answers when the status has changed, or after that time. Call it \
            again until `status` is closed, failed, cancelled or waiting.",
        input: Offer::entry("get_workflow.input"),
        output: Offer::entry("get_workflow.output"),
        hints: Hints::READ_ONLY,
        may_last: never_lasts,
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

impl Desk {
    async fn engine(&self) -> Result<&Engine, Failure> {
        let open = || runs::open(&self.session);
        let opened = self.engine.get_or_try_init(open).await;
        opened.map_err(|error: CommandError| failed(&error))
    }

    async fn find(&self, text: &str) -> Result<RunId, Failure> {
        let engine = self.engine().await?;
        let found = runs::find(engine, text).await;
        found.map_err(|error| failed(&error))
    }

    /// Has a run driven that nobody drives.
    async fn see_to(&self, run: &RunId) -> Result<(), Failure> {
        let engine = self.engine().await?;
        let driven = runs::is_driven(engine, run).await;
        if driven.map_err(|error| failed(&error))? {
            return Ok(());
        }
        self.drive_in_background(run).await
    }

    async fn drive_in_background(&self, run: &RunId) -> Result<(), Failure> {
        let engine = self.engine().await?;
        let started = runs::drive_in_background(engine, run, &self.session).await;
        started.map(drop).map_err(|error| failed(&error))
    }

    /// Waits for another status; not where only a person can bring one.
    async fn wait_for_news(&self, run: &RunId, wait: Duration, call: &Call) -> Result<(), Failure> {
        let until = Instant::now() + wait;
        let engine = self.engine().await?;
        let mut seen = None;
        while Instant::now() < until {
            let state = engine.state(run).await;
            let workflow = runs::describe(&state.map_err(|error| engine_failed(&error))?, true);
            let is_over = workflow.status.has_ended() || workflow.status == WorkflowStatus::Waiting;
            if is_over || seen.is_some_and(|seen| seen != workflow.status) {
                return Ok(());
            }
            seen = Some(workflow.status);
            if let Some(step) = &workflow.step {
                call.telling.tell(format!("{}: {}", step.agent, step.name));
            }
            tokio::select! {
                () = sleep(PAUSE) => {}
                () = call.cancel.cancelled() => return Err(Failure::Cancelled),
            }
        }
        Ok(())
    }

    /// `driven`, where it was just seen to.
    async fn described(&self, run: &RunId, driven: Option<bool>) -> Outcome {
        let engine = self.engine().await?;
        let state = engine.state(run).await;
        let state = state.map_err(|error| engine_failed(&error))?;
        let driven = match driven {
            Some(driven) => driven,
            None => runs::is_driven(engine, run)
                .await
                .map_err(|error| failed(&error))?,
        };
        Ok(to_json(&runs::describe(&state, driven)))
    }
}

fn mode(mode: WorkflowMode) -> Mode {
    match mode {
        WorkflowMode::Autonomous => Mode::Autonomous,
        WorkflowMode::Semi => Mode::Semi,
        WorkflowMode::Supervised => Mode::Supervised,
    }
}

fn engine_failed(error: &EngineError) -> Failure {
    failed(&runs::failed(error))
}
