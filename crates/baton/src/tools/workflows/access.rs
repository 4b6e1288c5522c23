//! The runs on this machine, for tools.

use std::time::Duration;

use baton_engine::{Engine, EngineError};
use baton_ops::{Context, Event, OpError};
use baton_protocol::tools::workflow::{Workflow, WorkflowStatus};
use baton_workflow::RunId;
use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep};

use crate::runs;
use crate::session::Session;

/// Where runs are kept, opened when the first tool needs it.
pub(super) struct RunAccess {
    pub(super) session: Session,
    engine: OnceCell<Engine>,
}

/// Between two looks at a run.
const PAUSE: Duration = Duration::from_millis(200);

impl RunAccess {
    pub(super) fn new(session: Session) -> Self {
        Self {
            session,
            engine: OnceCell::new(),
        }
    }

    pub(super) async fn engine(&self) -> Result<&Engine, OpError> {
        let open = || runs::open(&self.session);
        Ok(self.engine.get_or_try_init(open).await?)
    }

    pub(super) async fn find(&self, text: &str) -> Result<RunId, OpError> {
        let engine = self.engine().await?;
        Ok(runs::find(engine, text).await?)
    }

    /// Drives a run in the background unless it is driven.
    pub(super) async fn see_to(&self, run: &RunId) -> Result<(), OpError> {
        let engine = self.engine().await?;
        if runs::is_driven(engine, run).await? {
            return Ok(());
        }
        self.drive_in_background(run).await
    }

    pub(super) async fn drive_in_background(&self, run: &RunId) -> Result<(), OpError> {
        let engine = self.engine().await?;
        runs::drive_in_background(engine, run, &self.session).await?;
        Ok(())
    }

    /// Waits for another status; not where only a person can bring one.
    pub(super) async fn wait_for_news(
        &self,
        run: &RunId,
        wait: Duration,
        cx: &Context,
    ) -> Result<(), OpError> {
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
                let message = format!("{}: {}", step.agent, step.name);
                cx.events.emit(Event::Message(&message));
            }
            tokio::select! {
                () = sleep(PAUSE) => {}
                () = cx.cancel.cancelled() => return Err(OpError::Cancelled),
            }
        }
        Ok(())
    }

    /// `driven`, where it was just seen to.
    pub(super) async fn described(
        &self,
        run: &RunId,
        driven: Option<bool>,
    ) -> Result<Workflow, OpError> {
        let engine = self.engine().await?;
        let state = engine.state(run).await;
        let state = state.map_err(|error| engine_failed(&error))?;
        let driven = match driven {
            Some(driven) => driven,
            None => runs::is_driven(engine, run).await?,
        };
        Ok(runs::describe(&state, driven))
    }
}

pub(super) fn engine_failed(error: &EngineError) -> OpError {
    runs::failed(error).into()
}
