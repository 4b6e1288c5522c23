//! A successful response.

use std::fmt;

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName};
use serde::de::DeserializeOwned;

use super::error::{Asked, HttpError};
use super::failure::Failure;
use super::json;

/// A successful response. Its `Debug` omits the content, which may be anything.
#[derive(Clone)]
pub struct Reply {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    pub(super) from_cache: bool,
    pub(super) moved_to: Option<String>,
    pub(super) asked: Asked,
}

impl Reply {
    pub fn status(&self) -> u16 {
        self.status
    }

    /// A header's first value, if it is text.
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body, unpacked.
    pub fn bytes(&self) -> &Bytes {
        &self.body
    }

    /// The body is the cached one, which the server confirmed; the request cost
    /// no quota.
    pub fn from_cache(&self) -> bool {
        self.from_cache
    }

    /// The new address of the resource, if the server reported that it has moved
    /// permanently (as a renamed repository has).
    pub fn moved_to(&self) -> Option<&str> {
        self.moved_to.as_deref()
    }

    /// Parses the body. An HTML page from a proxy or a login is distinguished
    /// from broken JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, HttpError> {
        json::read(&self.body, &self.headers, &self.asked)
            .map_err(|failure| self.asked.failed(failure))
    }

    /// The body of a response that is not JSON. An HTML page is an error: it
    /// comes from a proxy or a login on the way.
    pub fn raw(&self) -> Result<&Bytes, HttpError> {
        if json::has_html_type(&self.headers) {
            return Err(self.asked.failed(Failure::WebPage));
        }
        Ok(&self.body)
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply")
            .field("status", &self.status)
            .field("bytes", &self.body.len())
            .field("from_cache", &self.from_cache)
            .field("moved", &self.moved_to.is_some())
            .finish_non_exhaustive()
    }
}
