//! Answers that need not be sent again: `ETag` and `Last-Modified`.

use std::fmt::Write as _;

use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::http::header::{
    CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

/// A larger body is passed on as it comes: to compare it is to hold it.
const MAX_LEN: u64 = 64 << 20;

/// The way HTTP writes a time.
const HTTP_DATE: &str = "%a, %d %b %Y %H:%M:%S GMT";

/// What a caller says it has already.
#[derive(Debug, Default)]
pub(crate) struct Known {
    etags: Option<HeaderValue>,
    since: Option<Timestamp>,
}

impl Known {
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let since = headers.get(IF_MODIFIED_SINCE);
        Self {
            etags: headers.get(IF_NONE_MATCH).cloned(),
            since: since.and_then(|value| parse_date(value.to_str().ok()?)),
        }
    }

    /// An entity tag is the better witness: where there is one, times do not count.
    fn covers(&self, etag: &str, modified: Option<Timestamp>) -> bool {
        if let Some(etags) = &self.etags {
            let text = etags.to_str().unwrap_or_default();
            return text
                .split(',')
                .map(str::trim)
                .any(|known| known == "*" || weak(known) == weak(etag));
        }
        matches!((self.since, modified), (Some(since), Some(at)) if at <= since)
    }
}

/// Whether a body is there in full, so that it can be looked at.
pub(crate) fn is_whole(response: &Response) -> bool {
    let size = response.body().size_hint().exact();
    size.is_some_and(|size| size <= MAX_LEN)
}

/// The bytes of a body that [`is_whole`].
pub(crate) async fn whole(body: Body) -> Bytes {
    // It is in memory already: there is nothing to fail.
    to_bytes(body, usize::MAX).await.unwrap_or_default()
}

/// Adds `ETag` and `Last-Modified` to a success, and answers with 304 when the
/// caller has it.
pub(crate) async fn answer(response: Response, known: &Known) -> Response {
    if response.status() != StatusCode::OK || !is_whole(&response) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let bytes = whole(body).await;
    let etag = entity_tag(&parts.headers, &bytes);
    let modified = last_modified(&parts.headers, &bytes);
    if let Ok(value) = HeaderValue::from_str(&etag) {
        parts.headers.insert(ETAG, value);
    }
    if let Some(at) = modified
        && let Ok(value) = HeaderValue::from_str(&format_date(at))
    {
        parts.headers.insert(LAST_MODIFIED, value);
    }
    if known.covers(&etag, modified) {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(CONTENT_LENGTH);
        parts.headers.remove(CONTENT_TYPE);
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(bytes))
}

/// Weak, as the same answer may be sent compressed or not.
fn entity_tag(headers: &HeaderMap, bytes: &[u8]) -> String {
    let mut digest = Sha256::new();
    if let Some(content_type) = headers.get(CONTENT_TYPE) {
        digest.update(content_type);
    }
    // A page of a list changes when there are more pages, too.
    if let Some(link) = headers.get("link") {
        digest.update(link);
    }
    digest.update(bytes);
    let mut tag = String::from("W/\"");
    for byte in digest.finalize() {
        let _ = write!(tag, "{byte:02x}");
    }
    tag.push('"');
    tag
}

/// A single thing says itself when it was changed.
fn last_modified(headers: &HeaderMap, bytes: &[u8]) -> Option<Timestamp> {
    #[derive(Deserialize)]
    struct Dated {
        updated_at: Option<String>,
    }

    let is_json = headers
        .get(CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"application/json"));
    if !is_json || bytes.first() != Some(&b'{') {
        return None;
    }
    let dated: Dated = serde_json::from_slice(bytes).ok()?;
    dated.updated_at?.parse().ok()
}

fn format_date(at: Timestamp) -> String {
    at.strftime(HTTP_DATE).to_string()
}

fn parse_date(text: &str) -> Option<Timestamp> {
    let civil = jiff::civil::DateTime::strptime(HTTP_DATE, text).ok()?;
    Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

fn weak(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_and_read_as_http_has_them() {
        let at: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        assert_eq!(format_date(at), "Sat, 31 Jan 2026 12:00:00 GMT");
        assert_eq!(parse_date("Sat, 31 Jan 2026 12:00:00 GMT"), Some(at));
        assert_eq!(parse_date("yesterday"), None);
    }

    #[test]
    fn tags_are_compared_weakly_and_before_dates() {
        let at: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        let known = |etags: &'static str| Known {
            etags: Some(HeaderValue::from_static(etags)),
            since: Some(at),
        };
        assert!(known("\"a\", W/\"b\"").covers("W/\"b\"", None));
        assert!(known("*").covers("W/\"b\"", None));
        assert!(!known("\"a\"").covers("W/\"b\"", Some(at)));
        let since = Known {
            etags: None,
            since: Some(at),
        };
        assert!(since.covers("W/\"b\"", Some(at)));
        assert!(!since.covers("W/\"b\"", None));
    }
}
