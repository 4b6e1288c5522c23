//! Work that blocks, on a thread where it may.

use std::panic::resume_unwind;

use crate::error::OpError;

/// Its panics are the caller's.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, OpError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(done),
        Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
        Err(_) => Err(OpError::Cancelled),
    }
}
