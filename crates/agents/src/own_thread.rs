//! Operations whose futures cannot be passed between threads: they may block on
//! a person, or hold a database.

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::failure::Setback;

/// Runs one on a thread of its own. It is cancelled with `cancel`, and when
/// nobody waits for it any more.
pub(crate) async fn run<T, F, Making>(
    cancel: &CancellationToken,
    make: Making,
) -> Result<T, Setback>
where
    T: Send + 'static,
    F: Future<Output = T>,
    Making: FnOnce(CancellationToken) -> F + Send + 'static,
{
    let own = cancel.child_token();
    let _guard = own.clone().drop_guard();
    let runtime = Handle::current();
    let done = tokio::task::spawn_blocking(move || runtime.block_on(make(own))).await;
    done.map_err(|stopped| Setback::permanent(format!("a step stopped in the middle: {stopped}")))
}
