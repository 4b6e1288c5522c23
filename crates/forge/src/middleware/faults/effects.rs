//! What a fault does to a request.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use http_body_util::BodyExt as _;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{FaultKind, bomb};
use crate::error::ApiError;
use crate::middleware::conditional::{is_whole, whole};
use crate::middleware::quota::{Exceeded, Resource, Standing};
use crate::middleware::refusals;
use crate::middleware::wire::Cut;

/// Kept so that a pause cannot overflow a clock.
const MAX_PAUSE: Duration = Duration::from_hours(1);

const SORRY_PAGE: &str = "<!DOCTYPE html>\n<html><head><title>Unicorn!</title></head>\
<body><h1>We had issues producing the response to your request.</h1>\
<p>Sorry about that. Please try refreshing.</p></body></html>\n";

/// What the faults make of one request.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pause: Duration,
    lag: Option<Duration>,
    mergeable_unknown: bool,
    end: Option<FaultKind>,
}

/// What a made-up answer tells about the request.
pub(crate) struct Context<'a> {
    pub(crate) request_id: &'a str,
    pub(crate) who: &'a str,
    pub(crate) resource: Resource,
    /// The limit that is told to be used up.
    pub(crate) limit: u32,
    pub(crate) now: Timestamp,
}

impl Effects {
    pub(super) fn add(&mut self, kind: FaultKind) {
        match kind {
            FaultKind::Latency { milliseconds } => {
                let more = Duration::from_millis(milliseconds);
                self.pause = self.pause.saturating_add(more).min(MAX_PAUSE);
            }
            FaultKind::Lag { milliseconds } => self.lag = Some(Duration::from_millis(milliseconds)),
            FaultKind::MergeableUnknown => self.mergeable_unknown = true,
            other => self.end = Some(other),
        }
    }

    #[cfg(test)]
    pub(super) fn is_none(&self) -> bool {
        self.pause.is_zero() && self.lag.is_none() && !self.mergeable_unknown && self.end.is_none()
    }

    pub(crate) async fn pause(&self) {
        if !self.pause.is_zero() {
            tokio::time::sleep(self.pause).await;
        }
    }

    pub(crate) fn lag(&self) -> Option<Duration> {
        self.lag
    }

    /// The answer to a request that is not done at all.
    pub(crate) fn instead(&self, context: &Context<'_>, cut: &Cut) -> Option<Response> {
        let response = match self.end.as_ref()? {
            FaultKind::ServerError {
                status,
                retry_after,
            } => server_error(*status, *retry_after),
            FaultKind::ResetBefore => {
                cut.now();
                StatusCode::BAD_GATEWAY.into_response()
            }
            FaultKind::HtmlBody { status } => sorry(*status),
            FaultKind::GzipBomb { bytes } => bomb(*bytes),
            FaultKind::PrimaryRateLimit { reset_after } => {
                let standing = Standing {
                    resource: context.resource,
                    limit: context.limit,
                    used: context.limit,
                    reset: context.now.as_second() + i64::from(*reset_after),
                };
                refusals::exceeded(Exceeded::Primary(standing), context.who, context.request_id)
            }
            FaultKind::SecondaryRateLimit {
                status,
                retry_after,
            } => refusals::too_fast(status_code(*status), *retry_after, context.request_id),
            FaultKind::RevokedToken => ApiError::Unauthorized("Bad credentials").into_response(),
            FaultKind::SsoRequired { organization } => refusals::single_sign_on(organization),
            FaultKind::Latency { .. }
            | FaultKind::LateServerError { .. }
            | FaultKind::ResetAfter
            | FaultKind::ResetMidBody
            | FaultKind::TruncatedBody
            | FaultKind::MergeableUnknown
            | FaultKind::Lag { .. } => return None,
        };
        Some(response)
    }

    /// Changes what the answer says.
    pub(crate) async fn distort(&self, response: Response) -> Response {
        let response = if self.mergeable_unknown {
            with_mergeable_unknown(response).await
        } else {
            response
        };
        match &self.end {
            Some(FaultKind::LateServerError { status }) => {
                read_to_the_end(response).await;
                server_error(*status, None)
            }
            Some(FaultKind::TruncatedBody) => truncated(response).await,
            _ => response,
        }
    }

    /// Changes how the answer gets there; nothing touches it afterwards.
    pub(crate) async fn send(&self, response: Response, cut: &Cut) -> Response {
        match &self.end {
            Some(FaultKind::ResetAfter) => {
                read_to_the_end(response).await;
                cut.now();
                StatusCode::BAD_GATEWAY.into_response()
            }
            Some(FaultKind::ResetMidBody) => cut_in_the_middle(response, cut).await,
            _ => response,
        }
    }
}

fn server_error(status: u16, retry_after: Option<u32>) -> Response {
    let refused = ApiError::Refused {
        status: status_code(status),
        message: "Server Error".to_owned(),
    };
    let mut response = refused.into_response();
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    response
}

fn sorry(status: u16) -> Response {
    let html = [(CONTENT_TYPE, "text/html; charset=utf-8")];
    (status_code(status), html, SORRY_PAGE).into_response()
}

fn bomb(bytes: u64) -> Response {
    let headers = [
        (CONTENT_TYPE, "application/json; charset=utf-8"),
        (CONTENT_ENCODING, "gzip"),
    ];
    (headers, bomb::body(bytes)).into_response()
}

/// A push is recorded when its answer ends: an answer that is lost after the
/// work must not be lost before it.
async fn read_to_the_end(response: Response) {
    let mut body = response.into_body();
    while let Some(Ok(_)) = body.frame().await {}
}

/// Whatever number was asked for; nonsense is a plain failure.
fn status_code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

async fn truncated(response: Response) -> Response {
    if !is_whole(&response) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let mut bytes = whole(body).await;
    bytes.truncate(bytes.len() / 2);
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(bytes))
}

/// Announces the whole body, sends the first half and cuts the line.
async fn cut_in_the_middle(response: Response, cut: &Cut) -> Response {
    if !is_whole(&response) {
        read_to_the_end(response).await;
        cut.now();
        return StatusCode::BAD_GATEWAY.into_response();
    }
    let (mut parts, body) = response.into_parts();
    let bytes = whole(body).await;
    let announced = HeaderValue::from(bytes.len());
    parts.headers.insert(CONTENT_LENGTH, announced);
    let half = bytes.slice(..bytes.len() / 2);
    let cut = cut.clone();
    let chunks = stream::unfold(Some(half), move |half| {
        let cut = cut.clone();
        async move {
            if let Some(half) = half {
                return Some((Ok(half), None));
            }
            // A pause without anything to send is when the server flushes.
            tokio::task::yield_now().await;
            cut.now();
            let reset = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
            Some((Err(reset), None))
        }
    });
    Response::from_parts(parts, Body::from_stream(chunks))
}

async fn with_mergeable_unknown(response: Response) -> Response {
    if !is_whole(&response) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let bytes = whole(body).await;
    let Ok(mut value) = serde_json::from_slice::<Value>(&bytes) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    forget_mergeable(&mut value);
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(value.to_string()))
}

/// REST says `null` and `unknown`, GraphQL `UNKNOWN`.
fn forget_mergeable(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(forget_mergeable),
        Value::Object(fields) => {
            for (name, value) in fields {
                match (name.as_str(), &value) {
                    ("mergeable", Value::Bool(_)) | ("rebaseable", _) => *value = Value::Null,
                    ("mergeable" | "mergeStateStatus", Value::String(_)) => {
                        *value = json!("UNKNOWN");
                    }
                    ("mergeable_state", _) => *value = json!("unknown"),
                    _ => forget_mergeable(value),
                }
            }
        }
        _ => {}
    }
}
