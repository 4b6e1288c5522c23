//! Decides whether and when a call is retried.

use std::time::Duration;

use super::call::Safety;
use super::failure::{Class, Phase};
use super::rate_limit::RateLimitKind;

/// How often and with which pauses a call is repeated.
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

/// What to do after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Again { pause: Duration },
    GiveUp,
}

/// The result of an attempt, as far as it matters for the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempted {
    pub(super) class: Class,
    /// How long the server asks to wait.
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
    // Waiting until the deadline only to fail then would be useless.
    if pause >= attempted.time_left {
        return Decision::GiveUp;
    }
    Decision::Again { pause }
}

/// GitHub's recommendation where it names no time itself.
const SECONDARY_PAUSE: Duration = Duration::from_mins(1);

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
#[expect(clippy::match_same_arms, reason = "each has a reason of its own")]
fn may_repeat(safety: &Safety, class: Class) -> bool {
    match (safety, class) {
        // Nothing was sent.
        (
            Safety::Read | Safety::Idempotent { .. } | Safety::Write,
            Class::Connect | Class::Timeout(Phase::Connect),
        ) => true,

        // It may have been done, and the response got lost. The server may also
        // have refused for now; that it did nothing is likely, not certain.
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

        // The same request would fail the same way.
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
            | Class::WebPage
            | Class::BadJson
            | Class::PageLoop
            | Class::Output,
        ) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: RetryPolicy = RetryPolicy {
        attempts: 3,
        first_pause: Duration::from_secs(1),
        longest_pause: Duration::from_secs(3),
    };

    const LOST: Attempted = Attempted {
        class: Class::Reset,
        retry_after: None,
        attempts: 1,
        time_left: Duration::from_mins(10),
    };

    fn decision(attempted: Attempted, chance: f64) -> Option<f64> {
        match decide(&POLICY, &Safety::Read, attempted, chance) {
            Decision::Again { pause } => Some(pause.as_secs_f64()),
            Decision::GiveUp => None,
        }
    }

    #[test]
    fn pauses_grow_up_to_a_limit() {
        let pause = |attempts, chance| {
            let policy = RetryPolicy {
                attempts: u32::MAX,
                ..POLICY
            };
            match decide(
                &policy,
                &Safety::Read,
                Attempted { attempts, ..LOST },
                chance,
            ) {
                Decision::Again { pause } => pause.as_millis(),
                Decision::GiveUp => panic!("attempt {attempts}"),
            }
        };
        let attempts = [1, 2, 3, 40, 4_000_000_000];
        assert_eq!(
            attempts.map(|attempts| pause(attempts, 0.0)),
            [500, 1000, 1500, 1500, 1500]
        );
        assert_eq!(
            attempts.map(|attempts| pause(attempts, 1.0)),
            [1000, 2000, 3000, 3000, 3000]
        );
    }

    #[test]
    fn the_server_decides_how_long_to_wait() {
        let wanted = |seconds| Attempted {
            retry_after: Some(Duration::from_secs(seconds)),
            ..LOST
        };
        assert_eq!(decision(wanted(0), 0.5), Some(0.0));
        assert_eq!(decision(wanted(599), 0.5), Some(599.0));
        assert_eq!(decision(wanted(600), 0.5), None);
        assert_eq!(decision(wanted(u64::MAX), 0.5), None);
        let secondary = Attempted {
            class: Class::RateLimited(RateLimitKind::Secondary),
            ..LOST
        };
        assert_eq!(decision(secondary, 0.5), Some(60.0));
    }

    #[test]
    fn attempts_and_time_run_out() {
        assert_eq!(
            decision(
                Attempted {
                    attempts: 2,
                    ..LOST
                },
                0.0
            ),
            Some(1.0)
        );
        assert_eq!(
            decision(
                Attempted {
                    attempts: 3,
                    ..LOST
                },
                0.0
            ),
            None
        );
        let little = Attempted {
            time_left: Duration::from_millis(500),
            ..LOST
        };
        assert_eq!(decision(little, 0.0), None);
    }

    #[test]
    fn what_is_repeated_is_transient() {
        let proven = Safety::Idempotent { proof: "a test" };
        let statuses = (100..600).map(Class::Status);
        let others = [
            Class::Connect,
            Class::Reset,
            Class::IncompleteBody,
            Class::Timeout(Phase::Connect),
            Class::Timeout(Phase::Answer),
            Class::Timeout(Phase::Body),
            Class::RateLimited(RateLimitKind::Primary),
            Class::RateLimited(RateLimitKind::Secondary),
            Class::Unsendable,
            Class::ForeignOrigin,
            Class::Credential,
            Class::Proxy,
            Class::Tls,
            Class::Protocol,
            Class::Undecodable,
            Class::TooLarge,
            Class::Redirect,
            Class::NotJson,
            Class::BadJson,
            Class::PageLoop,
            Class::Output,
        ];
        for class in statuses.chain(others) {
            assert_eq!(
                may_repeat(&Safety::Read, class),
                class.is_transient(),
                "{class:?}"
            );
            assert_eq!(
                may_repeat(&proven, class),
                class.is_transient(),
                "{class:?}"
            );
            let unsent = matches!(class, Class::Connect | Class::Timeout(Phase::Connect));
            assert_eq!(may_repeat(&Safety::Write, class), unsent, "{class:?}");
        }
    }
}
