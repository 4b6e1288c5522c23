//! Supervises one step: its limits, its panics, its end.

use std::sync::Arc;
use std::time::Duration;

use baton_workflow::{Failure, FailureKind, StepLimits};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::steps::{StepCall, StepContext, StepResult, Steps};

/// The time a step gets to end by itself once it was asked to. An agent has a
/// grace period of its own within it.
const GRACE: Duration = Duration::from_secs(10);

/// A running step. Dropping it ends the step.
pub(crate) struct UnderWay {
    handle: AbortOnDropHandle<StepResult>,
    pub(crate) cancel: CancellationToken,
}

impl UnderWay {
    pub(crate) fn begin(
        steps: Arc<dyn Steps>,
        call: StepCall,
        context: StepContext,
        alive: watch::Receiver<Instant>,
    ) -> Self {
        let cancel = context.cancel.clone();
        let supervised = supervise(steps, call, context, alive);
        Self {
            handle: AbortOnDropHandle::new(tokio::spawn(supervised)),
            cancel,
        }
    }

    /// Waits for the end. May be dropped and called again.
    pub(crate) async fn ended(&mut self) -> StepResult {
        match (&mut self.handle).await {
            Ok(result) => result,
            Err(error) => StepResult::from(Err(Failure::new(
                FailureKind::Permanent,
                panic_message(error),
            ))),
        }
    }
}

async fn supervise(
    steps: Arc<dyn Steps>,
    call: StepCall,
    context: StepContext,
    alive: watch::Receiver<Instant>,
) -> StepResult {
    let limits = call.limits;
    let mut step = steps.run(&call, &context);
    let stalled = tokio::select! {
        result = &mut step => return result,
        () = context.cancel.cancelled() => None,
        stalled = stalls(limits, alive) => Some(stalled),
    };
    context.cancel.cancel();
    let ended = timeout(GRACE, &mut step).await;
    let usage = ended
        .as_ref()
        .map_or_else(|_| <_>::default(), |result| result.usage);
    match (stalled, ended) {
        // It had finished its work after all.
        (_, Ok(result)) if result.outcome.is_ok() => result,
        (Some(failure), _) => StepResult {
            outcome: Err(failure),
            usage,
        },
        (None, Ok(result)) => result,
        (None, Err(_)) => StepResult::from(Err(Failure::new(
            FailureKind::Cancelled,
            "it was ended because it did not end by itself",
        ))),
    }
}

/// Waits until a limit is exceeded.
async fn stalls(limits: StepLimits, mut alive: watch::Receiver<Instant>) -> Failure {
    let wall = Instant::now() + limits.wall;
    loop {
        let last = *alive.borrow_and_update();
        let idle = last + limits.idle;
        tokio::select! {
            () = sleep_until(wall) => {
                let text = format!("it took longer than {:?}, its time limit", limits.wall);
                return Failure::new(FailureKind::Stalled, text);
            }
            () = sleep_until(idle) => {
                if *alive.borrow() == last {
                    let text = format!("it gave no sign of life for {:?}", limits.idle);
                    return Failure::new(FailureKind::Stalled, text);
                }
            }
        }
    }
}

fn panic_message(error: tokio::task::JoinError) -> String {
    let Ok(panic) = error.try_into_panic() else {
        return "it was ended with the engine".to_owned();
    };
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    format!("it panicked ({text}), which is a bug of baton; please report it")
}
