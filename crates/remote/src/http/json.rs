//! Parses a response as JSON.

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde::de::DeserializeOwned;

use super::error::Asked;
use super::failure::Failure;

/// In bytes: what may be needed for an excerpt, and no more of a large body.
const EXCERPT_SOURCE: usize = 16 << 10;

pub(super) fn read<T: DeserializeOwned>(
    body: &[u8],
    headers: &HeaderMap,
    asked: &Asked,
) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| {
        let html = is_html(body, headers);
        let empty = body.trim_ascii().is_empty();
        if html || empty || error.is_syntax() && !looks_like_json(body) {
            return Failure::NotJson {
                html,
                excerpt: excerpt(body, asked),
            };
        }
        Failure::BadJson {
            line: error.line(),
            column: error.column(),
            reason: asked.excerpt(without_position(&error.to_string())),
        }
    })
}

/// The beginning of a body, safe to display.
pub(super) fn excerpt(body: &[u8], asked: &Asked) -> String {
    let beginning = &body[..body.len().min(EXCERPT_SOURCE)];
    asked.excerpt(&String::from_utf8_lossy(beginning))
}

fn is_html(body: &[u8], headers: &HeaderMap) -> bool {
    has_html_type(headers) && !looks_like_json(body) || body.trim_ascii_start().starts_with(b"<")
}

pub(super) fn has_html_type(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.to_ascii_lowercase().contains("html"))
}

fn looks_like_json(body: &[u8]) -> bool {
    let first = body.trim_ascii_start().first();
    first.is_some_and(|byte| b"{[\"-0123456789tfn".contains(byte))
}

/// `serde_json` ends its messages with the position, which we give ourselves.
fn without_position(message: &str) -> &str {
    message
        .rsplit_once(" at line ")
        .map_or(message, |(reason, _)| reason)
}
