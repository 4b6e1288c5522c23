//! Operations that run commands, on threads that outlive an interrupted step.

use std::fmt::Display;

use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use crate::step_error::StepError;

/// Runs one on a thread of its own. It is cancelled with `cancel`, and when its
/// caller stops waiting.
///
/// The thread has a runtime of its own: after an interruption, the caller's
/// runtime may shut down while commands are still being ended here. A future of
/// the caller's runtime would be dropped, and its commands killed at once.
pub(crate) async fn run<T, F, Making>(
    cancel: &CancellationToken,
    make: Making,
) -> Result<T, StepError>
where
    T: Send + 'static,
    F: Future<Output = T>,
    Making: FnOnce(CancellationToken) -> F + Send + 'static,
{
    let own = cancel.child_token();
    let _guard = own.clone().drop_guard();
    let done = tokio::task::spawn_blocking(move || {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok::<T, std::io::Error>(runtime.block_on(make(own)))
    });
    let stopped =
        |why: &dyn Display| StepError::permanent(format!("a step stopped in the middle: {why}"));
    let ended = done.await.map_err(|error| stopped(&error))?;
    ended.map_err(|error| stopped(&error))
}
