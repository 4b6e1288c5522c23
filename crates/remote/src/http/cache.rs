//! Responses cached on disk, so that requesting unchanged data again costs no
//! quota.
//!
//! The cache is optional: its errors are traced, and the call continues without
//! it.

use std::sync::{Arc, Mutex, PoisonError};

use baton_state::http_cache::CachedAnswer;
use baton_state::{State, StateError};
use bytes::Bytes;
use jiff::Timestamp;
use reqwest::header::{
    CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, LAST_MODIFIED, LINK, VARY,
};
use sha2::{Digest as _, Sha256};

/// The storage of cached responses.
#[derive(Clone, Debug)]
pub struct Cache {
    state: Arc<Mutex<State>>,
}

/// A response that can be confirmed.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// Covers everything that a response depends on: the address, the request, and
/// the credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key([u8; 32]);

/// The cached headers: those that confirm the response, and those that tell how
/// to parse it and where the next page is.
const KEPT_HEADERS: [HeaderName; 4] = [ETAG, LAST_MODIFIED, CONTENT_TYPE, LINK];

impl Cache {
    pub fn new(state: State) -> Self {
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }

    pub(super) async fn find(&self, key: Key, now: Timestamp) -> Option<Kept> {
        let found = self.blocking(move |state| state.cached_answer(&key.0, now));
        let CachedAnswer { head, body } = found.await??;
        let kept = read_head(&head).map(|headers| Kept {
            headers,
            body: body.into(),
        });
        if kept.is_none() {
            tracing::debug!("a kept answer cannot be read");
        }
        kept
    }

    pub(super) async fn keep(&self, key: Key, kept: &Kept, now: Timestamp) {
        let answer = CachedAnswer {
            head: write_head(&kept.headers),
            body: kept.body.to_vec(),
        };
        self.blocking(move |state| state.cache_answer(&key.0, &answer, now))
            .await;
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut State) -> Result<T, StateError> + Send + 'static,
    ) -> Option<T> {
        let state = Arc::clone(&self.state);
        let done = tokio::task::spawn_blocking(move || {
            work(&mut state.lock().unwrap_or_else(PoisonError::into_inner))
        });
        match done.await {
            Ok(Ok(value)) => Some(value),
            Ok(Err(error)) => {
                tracing::debug!(%error, "the cache of answers cannot be used");
                None
            }
            Err(error) => {
                tracing::debug!(%error, "the cache of answers gave up");
                None
            }
        }
    }
}

impl Key {
    /// Each part is hashed with its length, so that none can pass for another.
    pub(super) fn new<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

impl Kept {
    /// The part of a response to cache: `None` if it cannot be confirmed later or
    /// must not be cached.
    pub(super) fn from_response(headers: &HeaderMap, body: &Bytes) -> Option<Self> {
        let forbidden = [(CACHE_CONTROL, "no-store"), (VARY, "*")];
        let forbids = |(name, word): (HeaderName, &str)| {
            headers.get_all(name).iter().any(|value| {
                let words = value.to_str().unwrap_or(word).split(',');
                words
                    .map(str::trim)
                    .any(|one| one.eq_ignore_ascii_case(word))
            })
        };
        let confirmable = headers.contains_key(ETAG) || headers.contains_key(LAST_MODIFIED);
        if !confirmable || forbidden.into_iter().any(forbids) {
            return None;
        }
        let kept = KEPT_HEADERS.into_iter();
        Some(Self {
            headers: kept
                .filter_map(|name| headers.get(&name).cloned().map(|value| (name, value)))
                .collect(),
            body: body.clone(),
        })
    }

    /// Makes the request conditional, so that the server may confirm this
    /// response rather than send one.
    pub(super) fn ask_to_confirm(&self, headers: &mut HeaderMap) {
        for (validator, condition) in [(ETAG, IF_NONE_MATCH), (LAST_MODIFIED, IF_MODIFIED_SINCE)] {
            if let Some(value) = self.headers.get(validator) {
                headers.insert(condition, value.clone());
            }
        }
    }
}

/// One header per line, as HTTP itself writes them.
fn write_head(headers: &HeaderMap) -> Vec<u8> {
    let mut head = Vec::new();
    for (name, value) in headers {
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.push(b'\n');
    }
    head
}

fn read_head(head: &[u8]) -> Option<HeaderMap> {
    head.split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| {
            let colon = line.iter().position(|&byte| byte == b':')?;
            let value = line[colon..].strip_prefix(b": ")?;
            let name = HeaderName::from_bytes(&line[..colon]).ok()?;
            Some((name, HeaderValue::from_bytes(value).ok()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(HeaderName, &str)]) -> HeaderMap {
        lines
            .iter()
            .map(|(name, value)| (name.clone(), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn only_what_can_be_confirmed_and_may_be_kept_is_kept() {
        let kept =
            |lines: &[(HeaderName, &str)]| Kept::from_response(&headers(lines), &Bytes::new());
        let tag = (ETAG, "W/\"1\"");
        assert!(kept(std::slice::from_ref(&tag)).is_some());
        assert!(kept(&[(LAST_MODIFIED, "x")]).is_some());
        assert!(kept(&[(CONTENT_TYPE, "x")]).is_none());
        assert!(kept(&[tag.clone(), (CACHE_CONTROL, "private, max-age=60")]).is_some());
        assert!(kept(&[tag.clone(), (CACHE_CONTROL, "private, No-Store")]).is_none());
        assert!(kept(&[tag.clone(), (VARY, "Accept, Authorization")]).is_some());
        assert!(kept(&[tag, (VARY, "*")]).is_none());
    }

    #[test]
    fn heads_are_read_as_they_were_written() {
        let original = headers(&[
            (ETAG, "\"a: b\""),
            (LINK, "<x>; rel=next"),
            (CONTENT_TYPE, ""),
        ]);
        assert_eq!(read_head(&write_head(&original)), Some(original));
        for damaged in [&b"no colon"[..], b"a:b", b"\xff: x", b"a: \x00"] {
            assert_eq!(read_head(damaged), None);
        }
    }

    #[test]
    fn parts_of_a_key_cannot_pass_for_others() {
        let key = |parts: &[&str]| Key::new(parts.iter().map(|part| part.as_bytes()));
        assert_eq!(key(&["ab", "c"]), key(&["ab", "c"]));
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["ab", ""]), key(&["ab"]));
    }
}
