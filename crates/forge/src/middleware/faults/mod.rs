//! Misbehaviour on request, so that clients can be tested against it.
//!
//! A fault says which requests it wants, how many of them, and what becomes of
//! these. It is kept in memory: a forge that starts again behaves.

mod bomb;
mod effects;
mod glob;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::Method;
use serde::Deserialize;

pub(crate) use effects::{Context, Effects};

/// Which requests go wrong, and how.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// `GET`, `POST` …; any when not given.
    pub method: Option<String>,
    /// The path without `/api/v3` or a query: `*` stands for one segment, `**`
    /// for any number. GraphQL is `/graphql`. Any when not given.
    pub path: Option<String>,
    /// The name of a GraphQL operation, such as `PullRequestByNumber`.
    pub operation: Option<String>,
    /// How many matching requests are answered properly first.
    #[serde(default)]
    pub skip: u32,
    /// How many requests go wrong; all when not given.
    pub count: Option<u32>,
    pub kind: FaultKind,
}

/// What becomes of a request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FaultKind {
    /// It takes longer.
    Latency { milliseconds: u64 },
    /// It fails before anything is done.
    ServerError {
        status: u16,
        retry_after: Option<u32>,
    },
    /// It is done, and the answer is an error nevertheless.
    LateServerError { status: u16 },
    /// The connection is reset before anything is done.
    ResetBefore,
    /// It is done, and the connection is reset instead of an answer.
    ResetAfter,
    /// The connection is reset after half of the answer's body.
    ResetMidBody,
    /// Half of the body is sent as if it were all.
    TruncatedBody,
    /// A page for people, as a proxy or an overloaded front end sends it.
    HtmlBody { status: u16 },
    /// A small answer that unpacks to this many bytes.
    GzipBomb { bytes: u64 },
    /// The hourly allowance is used up; it is full again after these seconds.
    PrimaryRateLimit { reset_after: u32 },
    /// Too fast, while there is quota left. GitHub sends 403 or 429.
    SecondaryRateLimit {
        status: u16,
        retry_after: Option<u32>,
    },
    /// Whether a pull request can be merged is not known yet.
    MergeableUnknown,
    /// A read sees what was true this long ago.
    Lag { milliseconds: u64 },
    /// The token was revoked.
    RevokedToken,
    /// The organisation wants its single sign-on first.
    SsoRequired { organization: String },
}

impl Fault {
    /// Hits every request until it is removed.
    pub fn new(kind: FaultKind) -> Self {
        Self {
            method: None,
            path: None,
            operation: None,
            skip: 0,
            count: None,
            kind,
        }
    }

    #[must_use]
    pub fn on(mut self, method: &str, path: &str) -> Self {
        self.method = Some(method.to_owned());
        self.path = Some(path.to_owned());
        self
    }

    /// Only this GraphQL operation.
    #[must_use]
    pub fn operation(mut self, name: &str) -> Self {
        self.operation = Some(name.to_owned());
        self
    }

    #[must_use]
    pub fn times(mut self, count: u32) -> Self {
        self.count = Some(count);
        self
    }

    /// Lets this many pass first.
    #[must_use]
    pub fn after(mut self, skip: u32) -> Self {
        self.skip = skip;
        self
    }

    fn wants(&self, asked: &Asked<'_>) -> bool {
        let method = self.method.as_deref();
        let path = self.path.as_deref();
        let operation = self.operation.as_deref();
        method.is_none_or(|method| method.eq_ignore_ascii_case(asked.method.as_str()))
            && path.is_none_or(|pattern| glob::matches(pattern, asked.path))
            && operation.is_none_or(|name| asked.operation == Some(name))
            && (asked.is_read || !matches!(self.kind, FaultKind::Lag { .. }))
    }
}

impl FaultKind {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Latency { .. } => "latency",
            Self::ServerError { .. } => "server_error",
            Self::LateServerError { .. } => "late_server_error",
            Self::ResetBefore => "reset_before",
            Self::ResetAfter => "reset_after",
            Self::ResetMidBody => "reset_mid_body",
            Self::TruncatedBody => "truncated_body",
            Self::HtmlBody { .. } => "html_body",
            Self::GzipBomb { .. } => "gzip_bomb",
            Self::PrimaryRateLimit { .. } => "primary_rate_limit",
            Self::SecondaryRateLimit { .. } => "secondary_rate_limit",
            Self::MergeableUnknown => "mergeable_unknown",
            Self::Lag { .. } => "lag",
            Self::RevokedToken => "revoked_token",
            Self::SsoRequired { .. } => "sso_required",
        }
    }

    /// Whether the request still gets its proper answer, if later or older.
    fn spares_the_answer(&self) -> bool {
        matches!(
            self,
            Self::Latency { .. } | Self::Lag { .. } | Self::MergeableUnknown
        )
    }
}

/// What a fault looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) method: &'a Method,
    pub(crate) path: &'a str,
    pub(crate) operation: Option<&'a str>,
    /// Only what does not write can be answered from the past.
    pub(crate) is_read: bool,
}

/// A fault that was set, and how often it struck.
#[derive(Debug, Clone)]
pub struct ActiveFault {
    pub id: u64,
    pub fault: Fault,
    /// Matching requests so far, those that were let pass included.
    pub seen: u32,
    /// Requests that went wrong.
    pub hits: u32,
}

impl ActiveFault {
    fn is_spent(&self) -> bool {
        self.fault.count.is_some_and(|count| self.hits >= count)
    }
}

/// The faults of one forge.
#[derive(Debug, Default)]
pub struct Faults(Mutex<Set>);

#[derive(Debug, Default)]
struct Set {
    last_id: u64,
    active: Vec<ActiveFault>,
}

impl Faults {
    pub fn add(&self, fault: Fault) -> u64 {
        let mut set = self.lock();
        set.last_id += 1;
        let id = set.last_id;
        set.active.push(ActiveFault {
            id,
            fault,
            seen: 0,
            hits: 0,
        });
        id
    }

    /// Spent ones included, in the order in which they were set.
    pub fn list(&self) -> Vec<ActiveFault> {
        self.lock().active.clone()
    }

    /// How many requests went wrong by this one.
    pub fn hits(&self, id: u64) -> u32 {
        let set = self.lock();
        let fault = set.active.iter().find(|fault| fault.id == id);
        fault.map_or(0, |fault| fault.hits)
    }

    /// Whether there was such a fault.
    pub fn remove(&self, id: u64) -> bool {
        let mut set = self.lock();
        let before = set.active.len();
        set.active.retain(|fault| fault.id != id);
        set.active.len() < before
    }

    pub fn clear(&self) {
        self.lock().active.clear();
    }

    /// Whether it matters what a GraphQL request says, which costs a look into
    /// its body.
    pub(crate) fn look_at_queries(&self) -> bool {
        let set = self.lock();
        let mut live = set.active.iter().filter(|fault| !fault.is_spent());
        live.any(|active| {
            active.fault.operation.is_some() || matches!(active.fault.kind, FaultKind::Lag { .. })
        })
    }

    /// How far back a read may have to look.
    pub(crate) fn longest_lag(&self) -> Option<Duration> {
        let set = self.lock();
        let live = set.active.iter().filter(|fault| !fault.is_spent());
        live.filter_map(|fault| match fault.fault.kind {
            FaultKind::Lag { milliseconds } => Some(Duration::from_millis(milliseconds)),
            _ => None,
        })
        .max()
    }

    /// What happens to this request. Faults strike in the order in which they
    /// were set; the first that takes the proper answer away is the last.
    pub(crate) fn strike(&self, asked: &Asked<'_>) -> Effects {
        let mut set = self.lock();
        let mut effects = Effects::default();
        for active in &mut set.active {
            if active.is_spent() || !active.fault.wants(asked) {
                continue;
            }
            active.seen = active.seen.saturating_add(1);
            if active.seen <= active.fault.skip {
                continue;
            }
            active.hits = active.hits.saturating_add(1);
            let kind = active.fault.kind.clone();
            tracing::info!(fault = kind.name(), method = %asked.method, path = asked.path, "misbehaves on request");
            let goes_on = kind.spares_the_answer();
            effects.add(kind);
            if !goes_on {
                break;
            }
        }
        effects
    }

    fn lock(&self) -> MutexGuard<'_, Set> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked<'a>(method: &'a Method, path: &'a str) -> Asked<'a> {
        Asked {
            method,
            path,
            operation: None,
            is_read: true,
        }
    }

    #[test]
    fn a_fault_lets_some_pass_and_strikes_some() {
        let faults = Faults::default();
        let fault = Fault::new(FaultKind::ResetBefore).on("GET", "/user");
        let id = faults.add(fault.after(1).times(2));
        let struck: Vec<bool> = (0..5)
            .map(|_| faults.strike(&asked(&Method::GET, "/user")).is_none())
            .map(|none| !none)
            .collect();
        assert_eq!(struck, [false, true, true, false, false]);
        assert_eq!(faults.hits(id), 2);
        assert!(faults.strike(&asked(&Method::POST, "/user")).is_none());
        assert!(faults.remove(id));
        assert!(!faults.remove(id));
    }

    #[test]
    fn what_comes_after_a_lost_answer_is_not_used_up() {
        let faults = Faults::default();
        let slow = faults.add(Fault::new(FaultKind::Latency { milliseconds: 1 }));
        let lost = faults.add(Fault::new(FaultKind::ResetAfter).times(1));
        let late = faults.add(Fault::new(FaultKind::TruncatedBody).times(1));
        let strike = || faults.strike(&asked(&Method::GET, "/user"));
        strike();
        assert_eq!([slow, lost, late].map(|id| faults.hits(id)), [1, 1, 0]);
        strike();
        assert_eq!([slow, lost, late].map(|id| faults.hits(id)), [2, 1, 1]);
    }
}
