use baton_ops::pulls::Patience;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use super::asking::{Asked, Questions};
use super::offer::{Call, Failure, Offer, Outcome, Telling};

/// How many words about the progress may wait to be sent.
const TOLD_AT_ONCE: usize = 16;

/// An operation under way, as whoever waits for it sees it. Dropped, it is
/// cancelled.
pub(super) struct Running {
    outcome: JoinHandle<Outcome>,
    told: mpsc::Receiver<String>,
    asked: mpsc::UnboundedReceiver<Asked>,
    cancel: DropGuard,
}

pub(super) enum Step {
    Told(String),
    Asked(Asked),
    Ended(Outcome),
}

impl Running {
    /// `calls` counts what is under way, `cancel` ends it with all others.
    pub(super) fn start(
        offer: &Offer,
        input: Value,
        patience: Patience,
        calls: &TaskTracker,
        cancel: &CancellationToken,
    ) -> Self {
        let (tell, told) = mpsc::channel(TOLD_AT_ONCE);
        let (ask, asked) = mpsc::unbounded_channel();
        let cancel = cancel.child_token();
        let call = Call {
            input,
            patience,
            telling: Telling::new(tell),
            questions: Questions::new(ask),
            cancel: cancel.clone(),
        };
        let run = offer.run.clone();
        // The call itself is made in the task, where a panic ends nothing else.
        let outcome = calls.spawn(async move { run(call).await });
        Self {
            outcome,
            told,
            asked,
            cancel: cancel.drop_guard(),
        }
    }

    /// What happens next. May be dropped and called again; not after the end.
    pub(super) async fn step(&mut self) -> Step {
        tokio::select! {
            biased;
            Some(asked) = self.asked.recv() => Step::Asked(asked),
            Some(what) = self.told.recv() => Step::Told(what),
            outcome = &mut self.outcome => Step::Ended(match outcome {
                Ok(outcome) => outcome,
                Err(error) if error.is_panic() => Err(Failure::Panicked),
                Err(_) => Err(Failure::Cancelled),
            }),
        }
    }

    /// Ends it, and waits until it has cleaned up behind itself.
    pub(super) async fn stop(self) {
        let Self {
            outcome,
            asked,
            told,
            cancel,
        } = self;
        // Whoever waits for an answer gets none.
        drop((asked, told, cancel));
        let _ = outcome.await;
    }
}
