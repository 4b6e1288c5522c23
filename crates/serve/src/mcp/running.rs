//! Runs an operation in a task of its own.

use baton_ops::{Context, EventSink, OpError, PollPolicy};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::DropGuard;
use tokio_util::task::TaskTracker;

use super::elicitation::{Asked, Questions};
use super::tool_def::{Failure, Outcome, ToolDef};

/// How many progress messages may wait to be sent.
const PROGRESS_BACKLOG: usize = 16;

/// A running operation, as its caller sees it. It is cancelled on drop.
pub(super) struct Running {
    outcome: JoinHandle<Outcome>,
    progress: mpsc::Receiver<String>,
    asked: mpsc::UnboundedReceiver<Asked>,
    cancel: DropGuard,
}

pub(super) enum Step {
    Progress(String),
    Asked(Asked),
    Ended(Outcome),
}

impl Running {
    /// `calls` tracks what is running; `base` has the environment of the server,
    /// and its cancellation ends this call with all others.
    pub(super) fn start(
        tool: &ToolDef,
        input: Value,
        poll: PollPolicy,
        calls: &TaskTracker,
        base: &Context,
    ) -> Self {
        let (tell, progress) = mpsc::channel(PROGRESS_BACKLOG);
        let (ask, asked) = mpsc::unbounded_channel();
        let cancel = base.cancel.child_token();
        let cx = Context {
            cancel: cancel.clone(),
            // Messages that come faster than they can be sent are dropped.
            events: EventSink::for_messages(move |what| drop(tell.try_send(what))),
            poll,
            ..base.clone()
        }
        .with_questions(Questions::new(ask));
        let operation = tool.operation.clone();
        // The call itself is made in the task, where a panic ends nothing else.
        let outcome = calls.spawn(async move {
            let output = operation.call(cx, input).await?;
            Ok(output.to_json())
        });
        Self {
            outcome,
            progress,
            asked,
            cancel: cancel.drop_guard(),
        }
    }

    /// What happens next. May be dropped and called again; not after the end.
    pub(super) async fn step(&mut self) -> Step {
        tokio::select! {
            biased;
            Some(asked) = self.asked.recv() => Step::Asked(asked),
            Some(what) = self.progress.recv() => Step::Progress(what),
            outcome = &mut self.outcome => Step::Ended(match outcome {
                Ok(outcome) => outcome,
                Err(error) if error.is_panic() => Err(Failure::Panicked),
                Err(_) => Err(OpError::Cancelled.into()),
            }),
        }
    }

    /// Ends it, and waits until it has cleaned up.
    pub(super) async fn stop(self) {
        let Self {
            outcome,
            asked,
            progress,
            cancel,
        } = self;
        // The operation gets no answer to its questions.
        drop((asked, progress, cancel));
        let _ = outcome.await;
    }
}
