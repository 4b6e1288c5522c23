//! Being told to ask less.

use std::time::Duration;

use jiff::Timestamp;

/// Which limit it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateLimitKind {
    /// The quota of an hour is used up.
    Primary,
    /// Too many requests at once or in a short time, while quota remains.
    Secondary,
}

/// A refusal to answer for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateLimit {
    pub kind: RateLimitKind,
    /// How long to wait, if that is known.
    pub retry_after: Option<Duration>,
    /// When quota is given again, if that is known.
    pub reset: Option<Timestamp>,
    /// The quota's name.
    pub resource: String,
}
