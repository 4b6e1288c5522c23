//! How often each step is tried, and how long is waited in between.

use std::time::Duration;

use super::{Call, Event};

/// Waits between tries; an empty list means that there is only one.
#[derive(Clone, Debug)]
pub struct Pauses {
    pub push: Vec<Duration>,
    pub create: Vec<Duration>,
    pub link: Vec<Duration>,
    pub mark_ready: Vec<Duration>,
}

impl Default for Pauses {
    fn default() -> Self {
        let seconds = |pause, times| vec![Duration::from_secs(pause); times];
        Self {
            push: seconds(5, 2),
            create: seconds(10, 2),
            link: seconds(5, 1),
            mark_ready: seconds(2, 1),
        }
    }
}

/// Why a try failed, as far as another one is concerned.
pub(super) struct TryFailed {
    pub(super) is_transient: bool,
    /// `Retry-After` of the server, which wins over our own pause.
    pub(super) retry_after: Option<Duration>,
}

/// Waits before the next try. `false`: there is none, because the trouble will
/// not pass by itself, all tries are used up, or the caller has stopped waiting.
pub(super) async fn wait(
    what: &'static str,
    pauses: &mut std::vec::IntoIter<Duration>,
    failed: TryFailed,
    call: &Call<'_>,
) -> bool {
    /// After a longer pause the caller should ask again.
    const MAX_PAUSE: Duration = Duration::from_mins(2);
    if !failed.is_transient {
        return false;
    }
    let Some(planned) = pauses.next() else {
        return false;
    };
    let pause = failed.retry_after.unwrap_or(planned);
    if pause > MAX_PAUSE {
        return false;
    }
    call.cx.emit(Event::Waiting { what, pause });
    tokio::select! {
        () = call.cx.cancel.cancelled() => false,
        () = tokio::time::sleep(pause) => true,
    }
}
