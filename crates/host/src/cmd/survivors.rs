//! Ends processes that outlived a killed baton.

use std::time::Duration;

use rustix::process::Signal;
use tokio::time::{Instant, sleep};

use super::escaped::Escaped;

/// Between two looks at whether all are gone.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Ends all processes that carry a [mark](super::Cmd::mark), with TERM and
/// after `grace` with KILL. Returns how many there were. For the children of a
/// process that was killed; on systems that cannot find them, there are none.
pub async fn end_survivors(mark: &str, grace: Duration) -> usize {
    let mut survivors = Escaped::orphans(&as_marker(mark));
    find(&mut survivors).await;
    if survivors.count() == 0 {
        return 0;
    }
    survivors.signal(Signal::TERM);
    survivors.signal(Signal::CONT);
    let deadline = Instant::now() + grace;
    while survivors.is_any_alive() && Instant::now() < deadline {
        sleep(LOOK_AGAIN).await;
    }
    // What they started meanwhile is theirs as well.
    for _ in 0..2 {
        find(&mut survivors).await;
        survivors.signal(Signal::KILL);
    }
    while survivors.is_any_alive() && Instant::now() < deadline + grace {
        sleep(LOOK_AGAIN).await;
    }
    survivors.count()
}

/// Markers are in one list, between commas.
pub(super) fn as_marker(mark: &str) -> String {
    mark.replace([',', '\0'], "_")
}

async fn find(survivors: &mut Escaped) {
    let search = survivors.search();
    if let Ok(found) = tokio::task::spawn_blocking(move || search.run()).await {
        survivors.add(found);
    }
}
