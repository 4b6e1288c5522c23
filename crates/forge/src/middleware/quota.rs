//! How much each caller may ask: an allowance per hour, and a pace.
//!
//! Kept in memory, as the longest window is an hour: a forge that starts again
//! forgives.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use jiff::Timestamp;
use serde_json::{Value, json};

/// How many windows are kept before those that have ended are swept out.
const SWEEP_AT: usize = 4096;
const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// What a caller may ask before it is told to wait.
///
/// The default is generous: a team's own machine need not ration. The answers
/// carry GitHub's headers all the same.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Requests per hour and user.
    pub core: u32,
    /// Searches per minute and user.
    pub search: u32,
    /// GraphQL points per hour and user.
    pub graphql: u32,
    /// Requests per hour and address, without a token.
    pub anonymous: u32,
    /// Searches per minute and address, without a token.
    pub anonymous_search: u32,
    pub pace: Option<Pace>,
}

/// GitHub's secondary limits, which are not told in any header.
#[derive(Debug, Clone)]
pub struct Pace {
    /// Requests under way at the same time.
    pub concurrent: u32,
    /// A read is one point, a write five.
    pub points_per_minute: u32,
    pub writes_per_minute: u32,
    /// Seconds, as sent in `Retry-After`.
    pub retry_after: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            core: 1_000_000,
            search: 100_000,
            graphql: 1_000_000,
            anonymous: 1_000_000,
            anonymous_search: 100_000,
            pace: None,
        }
    }
}

impl Limits {
    /// Those of github.com.
    pub fn github() -> Self {
        Self {
            core: 5000,
            search: 30,
            graphql: 5000,
            anonymous: 60,
            anonymous_search: 10,
            pace: Some(Pace {
                concurrent: 100,
                points_per_minute: 900,
                writes_per_minute: 80,
                retry_after: 60,
            }),
        }
    }

    fn limit(&self, who: Who, resource: Resource) -> u32 {
        match (who, resource) {
            (Who::User(_), Resource::Core) => self.core,
            (Who::User(_), Resource::Search) => self.search,
            (Who::User(_), Resource::Graphql) => self.graphql,
            (Who::Address(_), Resource::Search) => self.anonymous_search,
            (Who::Address(_), Resource::Core | Resource::Graphql) => self.anonymous,
        }
    }
}

/// Whose allowance it is. All tokens of a user share one, as at GitHub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Who {
    User(i64),
    Address(IpAddr),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Resource {
    Core,
    Search,
    Graphql,
}

impl Resource {
    pub(crate) const ALL: [Self; 3] = [Self::Core, Self::Search, Self::Graphql];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Search => "search",
            Self::Graphql => "graphql",
        }
    }

    fn seconds(self) -> i64 {
        match self {
            Self::Core | Self::Graphql => HOUR,
            Self::Search => MINUTE,
        }
    }
}

/// What a caller has left of one allowance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing {
    pub(crate) resource: Resource,
    pub(crate) limit: u32,
    pub(crate) used: u32,
    /// When the allowance is full again, in seconds of the Unix clock.
    pub(crate) reset: i64,
}

impl Standing {
    pub(crate) fn remaining(&self) -> u32 {
        self.limit.saturating_sub(self.used)
    }

    pub(crate) fn set_headers(&self, headers: &mut HeaderMap) {
        let mut set = |name: &'static str, value: HeaderValue| {
            headers.insert(HeaderName::from_static(name), value);
        };
        set("x-ratelimit-limit", self.limit.into());
        set("x-ratelimit-remaining", self.remaining().into());
        set("x-ratelimit-used", self.used.into());
        set("x-ratelimit-reset", self.reset.into());
        let resource = HeaderValue::from_static(self.resource.name());
        set("x-ratelimit-resource", resource);
    }

    /// An entry of `resources` in `/rate_limit`.
    pub(crate) fn body(&self) -> Value {
        json!({
            "limit": self.limit,
            "used": self.used,
            "remaining": self.remaining(),
            "reset": self.reset,
        })
    }
}

/// Why a request is turned away.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Exceeded {
    Primary(Standing),
    Secondary { retry_after: u32 },
}

pub(crate) struct Quota {
    limits: Limits,
    windows: Mutex<HashMap<(Who, Resource), Window>>,
    strides: Arc<Mutex<HashMap<Who, Stride>>>,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    used: u32,
    reset: i64,
}

/// A caller's present minute.
#[derive(Debug, Clone, Copy, Default)]
struct Stride {
    until: i64,
    points: u32,
    writes: u32,
    under_way: u32,
}

impl Quota {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            windows: Mutex::default(),
            strides: Arc::default(),
        }
    }

    pub(crate) fn standing(&self, who: Who, resource: Resource, now: Timestamp) -> Standing {
        let now = now.as_second();
        let mut windows = lock(&self.windows);
        let window = current(&mut windows, who, resource, now);
        self.shown(who, resource, *window)
    }

    /// Counts a request, or says why it has to wait. It is under way until the
    /// turn is dropped.
    pub(crate) fn admit(
        &self,
        who: Who,
        resource: Resource,
        method: &Method,
        now: Timestamp,
    ) -> Result<Turn, Exceeded> {
        let now = now.as_second();
        let turn = self.step(who, method, now)?;
        let mut windows = lock(&self.windows);
        let window = current(&mut windows, who, resource, now);
        if window.used >= self.limits.limit(who, resource) {
            return Err(Exceeded::Primary(self.shown(who, resource, *window)));
        }
        window.used += 1;
        Ok(turn)
    }

    /// Changes what an admitted request costs, which is one: nothing for an
    /// answer that was not modified, more for a large GraphQL question.
    pub(crate) fn settle(
        &self,
        who: Who,
        resource: Resource,
        cost: u32,
        now: Timestamp,
    ) -> Standing {
        let mut windows = lock(&self.windows);
        let window = current(&mut windows, who, resource, now.as_second());
        window.used = window.used.saturating_add(cost).saturating_sub(1);
        self.shown(who, resource, *window)
    }

    fn shown(&self, who: Who, resource: Resource, window: Window) -> Standing {
        Standing {
            resource,
            limit: self.limits.limit(who, resource),
            used: window.used,
            reset: window.reset,
        }
    }

    fn step(&self, who: Who, method: &Method, now: i64) -> Result<Turn, Exceeded> {
        let Some(pace) = &self.limits.pace else {
            return Ok(Turn(None));
        };
        let mut strides = lock(&self.strides);
        if strides.len() > SWEEP_AT {
            strides.retain(|_, stride| stride.until > now || stride.under_way > 0);
        }
        let stride = strides.entry(who).or_default();
        if stride.until <= now {
            *stride = Stride {
                until: now + MINUTE,
                under_way: stride.under_way,
                ..Stride::default()
            };
        }
        let (points, writes) = if method.is_safe() { (1, 0) } else { (5, 1) };
        if stride.under_way >= pace.concurrent
            || stride.points + points > pace.points_per_minute
            || stride.writes + writes > pace.writes_per_minute
        {
            return Err(Exceeded::Secondary {
                retry_after: pace.retry_after,
            });
        }
        stride.points += points;
        stride.writes += writes;
        stride.under_way += 1;
        Ok(Turn(Some((Arc::clone(&self.strides), who))))
    }
}

/// A request that was let in and is under way.
pub(crate) struct Turn(Option<(Strides, Who)>);

type Strides = Arc<Mutex<HashMap<Who, Stride>>>;

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some((strides, who)) = &self.0
            && let Some(stride) = lock(strides).get_mut(who)
        {
            stride.under_way = stride.under_way.saturating_sub(1);
        }
    }
}

fn current(
    windows: &mut HashMap<(Who, Resource), Window>,
    who: Who,
    resource: Resource,
    now: i64,
) -> &mut Window {
    if windows.len() > SWEEP_AT {
        windows.retain(|_, window| window.reset > now);
    }
    let fresh = Window {
        used: 0,
        reset: now + resource.seconds(),
    };
    let window = windows.entry((who, resource)).or_insert(fresh);
    if window.reset <= now {
        *window = fresh;
    }
    window
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OCTO: Who = Who::User(1);

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn limits() -> Limits {
        Limits {
            core: 2,
            pace: Some(Pace {
                concurrent: 2,
                points_per_minute: 12,
                writes_per_minute: 2,
                retry_after: 7,
            }),
            ..Limits::default()
        }
    }

    #[test]
    fn an_allowance_is_used_up_and_fills_again() {
        let quota = Quota::new(limits());
        for used in 1..=2 {
            drop(quota.admit(OCTO, Resource::Core, &Method::GET, at(0)).ok());
            let standing = quota.standing(OCTO, Resource::Core, at(0));
            assert_eq!((standing.used, standing.remaining()), (used, 2 - used));
        }
        let refused = quota.admit(OCTO, Resource::Core, &Method::GET, at(3599));
        assert!(matches!(refused, Err(Exceeded::Primary(standing)) if standing.reset == 3600));
        assert!(
            quota
                .admit(Who::User(2), Resource::Core, &Method::GET, at(0))
                .is_ok()
        );
        assert!(
            quota
                .admit(OCTO, Resource::Core, &Method::GET, at(3600))
                .is_ok()
        );
    }

    #[test]
    fn an_answer_can_cost_nothing_or_more() {
        let quota = Quota::new(limits());
        drop(quota.admit(OCTO, Resource::Core, &Method::GET, at(0)).ok());
        assert_eq!(quota.settle(OCTO, Resource::Core, 0, at(0)).used, 0);
        drop(
            quota
                .admit(OCTO, Resource::Graphql, &Method::POST, at(0))
                .ok(),
        );
        assert_eq!(quota.settle(OCTO, Resource::Graphql, 9, at(0)).used, 9);
    }

    #[test]
    fn too_many_at_once_or_too_fast_has_to_wait() {
        let quota = Quota::new(Limits {
            core: 100,
            ..limits()
        });
        let get = |second| quota.admit(OCTO, Resource::Core, &Method::GET, at(second));
        let post = |second| quota.admit(OCTO, Resource::Core, &Method::POST, at(second));
        let (first, second) = (get(0), get(0));
        assert!(matches!(
            get(0),
            Err(Exceeded::Secondary { retry_after: 7 })
        ));
        drop((first, second));
        // Two points are gone; two writes are ten more, and a third is too many.
        assert!(post(0).is_ok());
        assert!(post(0).is_ok());
        assert!(matches!(post(0), Err(Exceeded::Secondary { .. })));
        assert!(matches!(get(59), Err(Exceeded::Secondary { .. })));
        assert!(get(60).is_ok());
    }
}
