//! Slows requests down before the quota is used up.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use super::event::Quota;
use super::rate_limit::until;

/// When calls start to be spread over the time until the quota resets.
#[derive(Clone, Copy, Debug)]
pub struct BudgetPolicy {
    /// Below this part of the quota, in percent.
    pub reserve_percent: u8,
    /// No single call is delayed longer than this.
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

/// Whether a call may go now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    Go,
    Wait(Duration),
    /// Nothing is left until then.
    Spent {
        until: Timestamp,
    },
}

/// The state of one quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Standing {
    remaining: u64,
    limit: Option<u64>,
    reset: Timestamp,
    /// When the next call may go, while calls are spread.
    next: Timestamp,
}

/// The state of all quotas, for each credential. They are few, so a list is
/// searched faster than a map.
pub(super) struct Budget {
    policy: BudgetPolicy,
    known: Mutex<Vec<(Owner, Standing)>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Owner {
    credential: Option<[u8; 32]>,
    resource: String,
}

impl Owner {
    fn is(&self, credential: Option<&[u8; 32]>, resource: &str) -> bool {
        self.credential.as_ref() == credential && self.resource == resource
    }
}

impl Budget {
    pub(super) fn new(policy: BudgetPolicy) -> Self {
        Self {
            policy,
            known: Mutex::default(),
        }
    }

    /// Requests admission of one call, which counts as made from then on.
    pub(super) fn admit(
        &self,
        credential: Option<&[u8; 32]>,
        resource: &str,
        now: Timestamp,
    ) -> Admission {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let standing = known
            .iter_mut()
            .find(|(owner, _)| owner.is(credential, resource));
        match standing {
            Some((_, standing)) => admit(&self.policy, standing, now),
            None => Admission::Go,
        }
    }

    /// Updates the quota from a response.
    pub(super) fn note(&self, credential: Option<&[u8; 32]>, quota: &Quota<'_>, now: Timestamp) {
        let Some(reset) = quota.reset else {
            return;
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let standing = known
            .iter_mut()
            .find(|(owner, _)| owner.is(credential, quota.resource));
        if let Some((_, standing)) = standing {
            standing.remaining = quota.remaining;
            standing.limit = quota.limit;
            standing.reset = reset;
            return;
        }
        // Renewed credentials leave old quotas here.
        known.retain(|(_, standing)| standing.reset > now);
        let owner = Owner {
            credential: credential.copied(),
            resource: quota.resource.to_owned(),
        };
        let standing = Standing {
            remaining: quota.remaining,
            limit: quota.limit,
            reset,
            next: now,
        };
        known.push((owner, standing));
    }
}

/// The policy itself. Calls go freely while there is plenty; then what is left
/// is spread evenly over the time until there is more.
fn admit(policy: &BudgetPolicy, standing: &mut Standing, now: Timestamp) -> Admission {
    let Standing {
        remaining,
        limit,
        reset,
        next,
    } = *standing;
    if reset <= now {
        return Admission::Go;
    }
    if remaining == 0 {
        return Admission::Spent { until: reset };
    }
    standing.remaining -= 1;
    let reserve = limit
        .unwrap_or(0)
        .saturating_mul(policy.reserve_percent.into())
        / 100;
    if remaining > reserve {
        return Admission::Go;
    }
    let slot = next.max(now);
    let share = u32::try_from(remaining).unwrap_or(u32::MAX);
    let spacing = until(reset, slot) / share;
    standing.next = slot.checked_add(spacing).unwrap_or(reset).min(reset);
    match until(slot, now).min(policy.longest_pause) {
        Duration::ZERO => Admission::Go,
        pause => Admission::Wait(pause),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const POLICY: BudgetPolicy = BudgetPolicy {
        reserve_percent: 10,
        longest_pause: Duration::from_secs(30),
    };

    fn now() -> Timestamp {
        "2031-05-04T10:00:00Z".parse().unwrap()
    }

    fn after(seconds: u64) -> Timestamp {
        now() + Duration::from_secs(seconds)
    }

    fn standing(remaining: u64, limit: u64, reset_in: u64) -> Standing {
        Standing {
            remaining,
            limit: Some(limit),
            reset: after(reset_in),
            next: now(),
        }
    }

    #[test]
    fn calls_do_not_wait_while_plenty_is_left() {
        let mut plenty = standing(600, 5000, 3600);
        for _ in 0..100 {
            assert_eq!(admit(&POLICY, &mut plenty, now()), Admission::Go);
        }
        assert_eq!(plenty.remaining, 500);
    }

    #[test]
    fn what_is_left_is_spread_over_the_time_that_is_left() {
        let mut scarce = standing(4, 5000, 40);
        let seconds = Duration::from_secs;
        let calls: Vec<_> = (0..5).map(|_| admit(&POLICY, &mut scarce, now())).collect();
        assert_eq!(
            calls,
            [
                Admission::Go,
                Admission::Wait(seconds(10)),
                Admission::Wait(seconds(20)),
                Admission::Wait(seconds(30)),
                Admission::Spent { until: after(40) },
            ]
        );
    }

    #[test]
    fn a_call_that_comes_late_does_not_wait() {
        let mut scarce = standing(10, 5000, 100);
        assert_eq!(admit(&POLICY, &mut scarce, now()), Admission::Go);
        assert_eq!(admit(&POLICY, &mut scarce, after(11)), Admission::Go);
    }

    #[test]
    fn an_expired_quota_delays_no_call() {
        assert_eq!(
            admit(&POLICY, &mut standing(0, 5000, 0), now()),
            Admission::Go
        );
    }

    #[test]
    fn without_a_known_limit_only_an_empty_quota_counts() {
        let mut unknown = Standing {
            limit: None,
            ..standing(1, 0, 60)
        };
        assert_eq!(admit(&POLICY, &mut unknown, now()), Admission::Go);
        assert_eq!(
            admit(&POLICY, &mut unknown, now()),
            Admission::Spent { until: after(60) }
        );
    }

    #[test]
    fn credentials_and_resources_have_quotas_of_their_own() {
        let budget = Budget::new(POLICY);
        let (one, other) = ([1; 32], [2; 32]);
        let spent = Quota {
            resource: "core",
            remaining: 0,
            limit: Some(60),
            reset: Some(after(60)),
        };
        budget.note(Some(&one), &spent, now());
        assert_eq!(
            budget.admit(Some(&one), "core", now()),
            Admission::Spent { until: after(60) }
        );
        assert_eq!(budget.admit(Some(&one), "graphql", now()), Admission::Go);
        assert_eq!(budget.admit(Some(&other), "core", now()), Admission::Go);
        assert_eq!(budget.admit(None, "core", now()), Admission::Go);
    }

    proptest! {
        #[test]
        fn calls_never_outrun_the_quota(
            limit in 1_u64..6000,
            part in 0.0..1.0_f64,
            reset_in in 1_u64..4000,
            calls in 1_usize..50,
        ) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a part of a small number")]
            let remaining = (limit as f64 * part) as u64;
            let mut standing = standing(remaining, limit, reset_in);
            let admitted = (0..calls)
                .filter(|_| !matches!(admit(&POLICY, &mut standing, now()), Admission::Spent { .. }))
                .count() as u64;
            prop_assert_eq!(admitted, remaining.min(calls as u64));
            prop_assert!(standing.next <= standing.reset);
        }
    }
}
