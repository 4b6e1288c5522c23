//! What a driver waits for. Each function waits forever where there is nothing to
//! wait for, and may be dropped at any time.

use std::time::Duration;

use baton_workflow::Key;
use jiff::Timestamp;
use tokio::time::sleep;

use crate::error::EngineError;
use crate::hub::Hub;
use crate::slots::{self, Kind, Slot};
use crate::steps::StepResult;
use crate::supervise::UnderWay;

pub(crate) async fn ended(under_way: &mut Option<UnderWay>) -> StepResult {
    match under_way {
        Some(under_way) => under_way.ended().await,
        None => std::future::pending().await,
    }
}

pub(crate) async fn occupied(hub: &Hub, wanted: Option<(Kind, Key)>) -> Result<Slot, EngineError> {
    match wanted {
        Some((kind, key)) => slots::occupy(hub, kind, key).await,
        None => std::future::pending().await,
    }
}

/// Sleeps by the wall clock, which may be set meanwhile.
pub(crate) async fn slept(hub: &Hub, timer: Option<(Key, Timestamp)>) -> Key {
    /// Between two checks of the clock.
    const MAX_SLEEP: Duration = Duration::from_secs(30);
    let Some((key, until)) = timer else {
        return std::future::pending().await;
    };
    loop {
        let left = until.duration_since(hub.now());
        match Duration::try_from(left) {
            Ok(left) if !left.is_zero() => sleep(left.min(MAX_SLEEP)).await,
            _ => return key,
        }
    }
}
