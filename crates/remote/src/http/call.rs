//! The description of a request.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use serde::Serialize;

use super::path::Path;
use super::rate_limit::RateLimitKind;
use super::reply::Reply;
use super::wait_limit::WaitLimit;

/// What may be repeated when an attempt fails without a clear response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Safety {
    /// Changes nothing: repeated freely.
    Read,
    /// Doing it twice is the same as doing it once, and this is why: "guarded
    /// by the head SHA", "the marker was looked for before".
    Idempotent { proof: &'static str },
    /// Never sent again once it may have reached the server.
    Write,
}

/// Checks a successful response for a refusal that its status does not reveal,
/// such as a rate limit inside a GraphQL response.
pub type Judge = fn(&Reply) -> Option<RateLimitKind>;

/// One request, as a value: nothing happens until an [`Http`](super::Http) sends
/// it. Its `Debug` omits what is sent.
#[derive(Clone)]
pub struct Call {
    pub(super) method: Method,
    pub(super) path: Path,
    pub(super) query: Vec<(&'static str, String)>,
    pub(super) body: Option<Result<Bytes, String>>,
    pub(super) accept: Cow<'static, str>,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) safety: Safety,
    pub(super) size_cap: Option<u64>,
    pub(super) deadline: Option<Duration>,
    pub(super) cacheable: bool,
    pub(super) resource: &'static str,
    pub(super) judge: Option<Judge>,
    pub(super) wait_limit: Option<Arc<WaitLimit>>,
    pub(super) is_single: bool,
}

/// The default `Accept` header.
const JSON: &str = "application/json";

/// The default quota of a call, by GitHub's name.
const CORE: &str = "core";

impl Call {
    pub fn new(method: Method, path: Path, safety: Safety) -> Self {
        Self {
            method,
            path,
            query: Vec::new(),
            body: None,
            accept: Cow::Borrowed(JSON),
            headers: Vec::new(),
            safety,
            size_cap: None,
            deadline: None,
            cacheable: false,
            resource: CORE,
            judge: None,
            wait_limit: None,
            is_single: false,
        }
    }

    /// A read whose response may be cached and requested conditionally.
    pub fn get(path: Path) -> Self {
        Self::new(Method::GET, path, Safety::Read).cacheable(true)
    }

    /// A POST that only reads, such as a GraphQL query.
    pub fn query_by_post(path: Path) -> Self {
        Self::new(Method::POST, path, Safety::Read)
    }

    pub fn post(path: Path, safety: Safety) -> Self {
        Self::new(Method::POST, path, safety)
    }

    pub fn put(path: Path, safety: Safety) -> Self {
        Self::new(Method::PUT, path, safety)
    }

    pub fn patch(path: Path, safety: Safety) -> Self {
        Self::new(Method::PATCH, path, safety)
    }

    pub fn delete(path: Path, safety: Safety) -> Self {
        Self::new(Method::DELETE, path, safety)
    }

    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "numbers and text are passed alike"
    )]
    pub fn query(mut self, name: &'static str, value: impl ToString) -> Self {
        self.query.push((name, value.to_string()));
        self
    }

    #[must_use]
    pub fn query_if_some(self, name: &'static str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    /// The body, as JSON. A value that JSON cannot express is reported when the
    /// call is made.
    #[must_use]
    pub fn json(mut self, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body)
            .map(Bytes::from)
            .map_err(|error| error.to_string());
        self.body = Some(body);
        self
    }

    /// The requested media type; by default `application/json`.
    #[must_use]
    pub fn accept(mut self, media_type: impl Into<Cow<'static, str>>) -> Self {
        self.accept = media_type.into();
        self
    }

    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The maximum size of the unpacked response in bytes; by default the
    /// client's limit.
    #[must_use]
    pub fn size_cap(mut self, bytes: u64) -> Self {
        self.size_cap = Some(bytes);
        self
    }

    /// How long all attempts may take together, waits included; by default the
    /// client's limit.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Whether the response may be cached on disk for conditional requests. Only
    /// GET requests are ever cached.
    #[must_use]
    pub fn cacheable(mut self, cacheable: bool) -> Self {
        self.cacheable = cacheable;
        self
    }

    /// The quota that the call draws on, by the name that the server gives it
    /// in `x-ratelimit-resource`; by default `core`.
    #[must_use]
    pub fn resource(mut self, resource: &'static str) -> Self {
        self.resource = resource;
        self
    }

    #[must_use]
    pub fn judged_by(mut self, judge: Judge) -> Self {
        self.judge = Some(judge);
        self
    }

    /// Waits between attempts, and for quotas, count towards this limit, which several calls share.
    #[must_use]
    pub fn waiting_within(mut self, limit: Option<Arc<WaitLimit>>) -> Self {
        self.wait_limit = limit;
        self
    }

    /// Never sent again, because the caller counts the tries itself.
    #[must_use]
    pub fn sent_once(mut self) -> Self {
        self.is_single = true;
        self
    }

    pub fn safety(&self) -> &Safety {
        &self.safety
    }

    /// The same call for another address, such as the next page.
    pub(super) fn at(&self, path: Path) -> Self {
        Self {
            path,
            query: Vec::new(),
            ..self.clone()
        }
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("safety", &self.safety)
            .finish_non_exhaustive()
    }
}
