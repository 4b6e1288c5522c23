//! The rules that a new run keeps to, from configuration and flags.

use std::time::Duration;

use baton_workflow::{Budget, Mode, Policy};

use crate::config::Config;

/// `mode` outranks the configuration; `unattended` says that no one will ever
/// answer.
pub(super) fn policy(config: &Config, mode: Option<Mode>, unattended: bool) -> Policy {
    Policy {
        mode: mode.unwrap_or_else(|| configured_mode(config)),
        unattended,
        budget: Budget {
            time: config
                .count("run.budget_minutes")
                .map(|minutes| Duration::from_secs(u64::from(minutes) * 60)),
            turns: config.count("run.budget_turns").map(u64::from),
            cost_micros: config.amount("run.budget_dollars").map(micros),
        },
        ..Policy::default()
    }
}

fn configured_mode(config: &Config) -> Mode {
    match config.get("run.mode").map(|value| value.text.as_str()) {
        Some("semi") => Mode::Semi,
        Some("supervised") => Mode::Supervised,
        _ => Mode::Autonomous,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an amount is above zero and below 10^9"
)]
fn micros(dollars: f64) -> u64 {
    (dollars * 1e6).round() as u64
}
