//! What was answered.

use std::fmt;

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName};
use serde::de::DeserializeOwned;

use super::error::{Asked, HttpError};
use super::json;

/// A successful answer. Its `Debug` shows nothing that the server said, which
/// may be anything.
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

    /// The body is the kept one, which the server confirmed; asking cost no quota.
    pub fn from_cache(&self) -> bool {
        self.from_cache
    }

    /// Where the resource is now, if the server said that it has moved for
    /// good (as a renamed repository has).
    pub fn moved_to(&self) -> Option<&str> {
        self.moved_to.as_deref()
    }

    /// Reads the body. An HTML page, as a proxy or a login puts it in the way,
    /// is told from JSON that is broken.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, HttpError> {
        json::read(&self.body, &self.headers, &self.asked)
            .map_err(|failure| self.asked.failed(failure))
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
