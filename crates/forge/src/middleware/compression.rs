//! Compressing answers.

use std::io::Write as _;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::conditional::{is_whole, whole};

/// A smaller answer fits into one packet as it is.
const SMALLEST: usize = 1024;

pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter();
    let mut codings = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(','));
    codings.any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let refused = parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
        name.eq_ignore_ascii_case("gzip") && !refused
    })
}

/// Packs text that is there in full; what is streamed or packed already is left alone.
pub(crate) async fn gzip(response: Response) -> Response {
    if response.status() == StatusCode::NO_CONTENT
        || response.status() == StatusCode::NOT_MODIFIED
        || response.headers().contains_key(CONTENT_ENCODING)
        || !is_text(response.headers())
        || !is_whole(&response)
    {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let bytes = whole(body).await;
    if bytes.len() < SMALLEST {
        return Response::from_parts(parts, Body::from(bytes));
    }
    // The fastest level: on one's own machine the network is no bottleneck.
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    let packed = encoder.write_all(&bytes).and_then(|()| encoder.finish());
    let Ok(packed) = packed else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    parts.headers.remove(CONTENT_LENGTH);
    parts
        .headers
        .insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    Response::from_parts(parts, Body::from(packed))
}

fn is_text(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(CONTENT_TYPE) else {
        return false;
    };
    let value = value.as_bytes();
    value.starts_with(b"application/json")
        || value.starts_with(b"application/vnd.github")
        || value.starts_with(b"text/")
        || value.starts_with(b"image/svg+xml")
}
