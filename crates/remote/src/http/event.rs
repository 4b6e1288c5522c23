//! Events of a request, for an observer.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::Method;

use super::failure::Class;

#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A request was answered, or failed. Each attempt, each redirect and each
    /// page is one.
    Requested(Requested<'a>),
    /// The client pauses before the next attempt.
    Waiting {
        method: &'a Method,
        path: &'a str,
        pause: Duration,
        reason: WaitReason,
    },
}

#[derive(Clone, Copy, Debug)]
pub struct Requested<'a> {
    pub method: &'a Method,
    /// The template where there is one, else the path.
    pub path: &'a str,
    pub outcome: Result<u16, Class>,
    /// From 1.
    pub attempt: u32,
    /// Until the response was complete or, where it is streamed, had started.
    pub duration: Duration,
    /// Of the answer, unpacked; none yet where it is streamed.
    pub bytes: u64,
    /// The response is the cached one, which the server confirmed.
    pub from_cache: bool,
    pub quota: Option<Quota<'a>>,
}

/// The remaining quota that the server reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota<'a> {
    pub resource: &'a str,
    pub remaining: u64,
    pub limit: Option<u64>,
    pub reset: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// An attempt failed.
    Retry(Class),
    /// Little quota is left, so calls are spread over the time until it resets.
    Budget,
}
