//! Asking slower before the quota is used up.

use std::time::Duration;

/// When calls begin to be spread over the time until quota is given again.
#[derive(Clone, Copy, Debug)]
pub struct BudgetPolicy {
    /// Below this part of the quota, in percent.
    pub reserve_percent: u8,
    /// No single call is held back longer than this.
    pub longest_pause: Duration,
}

impl Default for BudgetPolicy {
    fn default() -> Self {
        Self {
            // Of 5000 an hour, the last 500 last until the hour is over.
            reserve_percent: 10,
            longest_pause: Duration::from_secs(30),
        }
    }
}
