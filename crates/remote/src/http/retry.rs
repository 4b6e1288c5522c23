//! What is tried again, and when.

use std::time::Duration;

use super::call::Safety;
use super::error::{Class, Phase};
use super::rate_limit::RateLimitKind;

/// How often and how patiently a call is repeated.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// Including the first one.
    pub attempts: u32,
    /// Before the second attempt; doubled for each one after it.
    pub first_pause: Duration,
    /// No pause of our own choosing is longer.
    pub longest_pause: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 4,
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(20),
        }
    }
}

/// What follows a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Again { pause: Duration },
    GiveUp,
}

/// What an attempt left behind, as far as it matters for the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempted {
    pub(super) class: Class,
    /// What the server wants waited.
    pub(super) retry_after: Option<Duration>,
    /// Made so far.
    pub(super) attempts: u32,
    /// Until the call's deadline.
    pub(super) time_left: Duration,
}

/// Decides by rule alone; `chance` (from 0 to 1) spreads the pauses of many
/// clients that failed together.
pub(super) fn decide(
    policy: &RetryPolicy,
    safety: &Safety,
    attempted: Attempted,
    chance: f64,
) -> Decision {
    if attempted.attempts >= policy.attempts || !may_repeat(safety, attempted.class) {
        return Decision::GiveUp;
    }
    let pause = match (attempted.retry_after, attempted.class) {
        (Some(wanted), _) => wanted,
        (None, Class::RateLimited(RateLimitKind::Secondary)) => SECONDARY_PAUSE,
        (None, _) => backoff(policy, attempted.attempts, chance),
    };
    // Waiting until the deadline only to fail then would help nobody.
    if pause >= attempted.time_left {
        return Decision::GiveUp;
    }
    Decision::Again { pause }
}

/// What GitHub asks for where it names no time itself.
const SECONDARY_PAUSE: Duration = Duration::from_secs(60);

/// Doubles with each attempt, and lies between half of that and all of it.
fn backoff(policy: &RetryPolicy, attempts: u32, chance: f64) -> Duration {
    let doubled = 1_u32
        .checked_shl(attempts.saturating_sub(1))
        .and_then(|factor| policy.first_pause.checked_mul(factor))
        .unwrap_or(Duration::MAX);
    let whole = doubled.min(policy.longest_pause);
    whole.mul_f64(0.5 + chance.clamp(0.0, 1.0) / 2.0)
}

/// Whether the call may be made again after a failure of this class. Every
/// pair is spelt out, so that a new class has to be thought about.
fn may_repeat(safety: &Safety, class: Class) -> bool {
    match (safety, class) {
        // Nothing was sent.
        (
            Safety::Read | Safety::Idempotent { .. } | Safety::Write,
            Class::Connect | Class::Timeout(Phase::Connect),
        ) => true,

        // It may have been done, and the answer got lost. The server may also
        // say no for now; that it did nothing is likely, not certain.
        (
            Safety::Read | Safety::Idempotent { .. },
            Class::Timeout(Phase::Answer | Phase::Body)
            | Class::Reset
            | Class::IncompleteBody
            | Class::RateLimited(RateLimitKind::Primary | RateLimitKind::Secondary)
            | Class::Status(408 | 425 | 429 | 500 | 502 | 503 | 504),
        ) => true,
        (
            Safety::Write,
            Class::Timeout(Phase::Answer | Phase::Body)
            | Class::Reset
            | Class::IncompleteBody
            | Class::RateLimited(RateLimitKind::Primary | RateLimitKind::Secondary)
            | Class::Status(_),
        ) => false,

        // The same again would end the same.
        (Safety::Read | Safety::Idempotent { .. }, Class::Status(_)) => false,
        (
            Safety::Read | Safety::Idempotent { .. } | Safety::Write,
            Class::Timeout(Phase::Overall)
            | Class::Unsendable
            | Class::ForeignOrigin
            | Class::Credential
            | Class::Proxy
            | Class::Tls
            | Class::Protocol
            | Class::Undecodable
            | Class::TooLarge
            | Class::Redirect
            | Class::NotJson
            | Class::BadJson
            | Class::PageLoop
            | Class::Output,
        ) => false,
    }
}
