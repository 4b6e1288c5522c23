//! The rules that a new run keeps to, from configuration and flags.

use std::time::Duration;

use baton_workflow::{Budget, Mode, Policy, Until};

use crate::config::Config;
use crate::error::CommandError;

/// `mode` outranks the configuration; `unattended` says that no one will ever
/// answer.
pub(super) fn policy(
    config: &Config,
    mode: Option<Mode>,
    until: Until,
    unattended: bool,
) -> Policy {
    Policy {
        mode: mode.unwrap_or_else(|| configured_mode(config)),
        until,
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

/// How far a new run goes. Whoever leaves merges to people does so for all runs.
pub(super) fn until(
    config: &Config,
    wanted: Option<Until>,
    default: Until,
) -> Result<Until, CommandError> {
    let merge = config.get("run.merge");
    let is_human = merge.is_some_and(|value| value.text == "human");
    match wanted {
        Some(Until::Merge) if is_human => {
            let source = merge
                .map(|value| value.source.to_string())
                .unwrap_or_default();
            Err(CommandError::wrong_use(format!(
                "--until merge: run.merge leaves merges to people ({source})"
            ))
            .hint("Leave --until out, and merge it yourself when it is ready."))
        }
        Some(until) => Ok(until),
        None if is_human => Ok(default.min(Until::Ready)),
        None => Ok(default),
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
