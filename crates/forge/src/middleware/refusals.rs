//! Answers that the middleware itself gives, in GitHub's words.

use axum::Json;
use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::conditional::{is_whole, whole};
use super::quota::{Exceeded, Resource};
use crate::error::ApiError;

const RATE_LIMITS: &str = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api";
const SECONDARY: &str = "https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits";
const DOCUMENTATION: &str = "https://docs.github.com/rest";
const SSO: HeaderName = HeaderName::from_static("x-github-sso");

/// What axum says before the part that helps.
const AXUM_PREFIX: &str = "Failed to deserialize the JSON body into the target type: ";

/// `who` is named as GitHub would: `user ID 1`, or an address.
pub(crate) fn exceeded(exceeded: Exceeded, who: &str, request_id: &str) -> Response {
    let standing = match exceeded {
        Exceeded::Secondary { retry_after } => {
            return too_fast(StatusCode::FORBIDDEN, Some(retry_after), request_id);
        }
        Exceeded::Primary(standing) => standing,
    };
    let message = if who.starts_with("user ") {
        format!(
            "API rate limit exceeded for {who}. If you reach out to GitHub Support for help, please include the request ID {request_id}."
        )
    } else {
        format!(
            "API rate limit exceeded for {who}. (But here's the good news: Authenticated requests get a higher rate limit. Check out the documentation for more details.)"
        )
    };
    let mut response = if standing.resource == Resource::Graphql {
        // GraphQL has its errors inside an answer that is fine.
        let error =
            json!({ "type": "RATE_LIMITED", "code": "graphql_rate_limit", "message": message });
        Json(json!({ "errors": [error] })).into_response()
    } else {
        let body = json!({
            "message": message,
            "documentation_url": RATE_LIMITS,
            "status": "403",
        });
        (StatusCode::FORBIDDEN, Json(body)).into_response()
    };
    standing.set_headers(response.headers_mut());
    response
}

pub(crate) fn too_fast(status: StatusCode, retry_after: Option<u32>, request_id: &str) -> Response {
    let message = format!(
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID {request_id}."
    );
    let body = json!({
        "documentation_url": SECONDARY,
        "message": message,
        "status": status.as_str(),
    });
    let mut response = (status, Json(body)).into_response();
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    response
}

pub(crate) fn single_sign_on(organization: &str) -> Response {
    let message = "Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.";
    let mut response = ApiError::Forbidden(message.to_owned()).into_response();
    let safe: String = organization
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .collect();
    let value = format!(
        "required; url=https://github.com/orgs/{safe}/sso?authorization_request=AAAAAAAAAAAAAAAA"
    );
    if let Ok(value) = HeaderValue::from_str(&value) {
        response.headers_mut().insert(SSO, value);
    }
    response
}

pub(crate) fn unsupported_version(asked: &str) -> Response {
    ApiError::Refused {
        status: StatusCode::BAD_REQUEST,
        message: format!("Version {asked:?} is not a supported version. See the documentation for supported versions."),
    }
    .into_response()
}

pub(crate) fn not_acceptable(asked: &str) -> Response {
    ApiError::Refused {
        status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
        message: format!("Unsupported 'Accept' header: {asked:?}. Must accept 'application/json'."),
    }
    .into_response()
}

/// A repository that was renamed. Writes keep their method.
pub(crate) fn moved(is_read: bool, url: &str) -> Response {
    let (status, message) = if is_read {
        (StatusCode::MOVED_PERMANENTLY, "Moved Permanently")
    } else {
        (StatusCode::TEMPORARY_REDIRECT, "Moved Permanently")
    };
    let body = json!({
        "message": message,
        "url": url,
        "documentation_url": "https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects",
    });
    let mut response = (status, Json(body)).into_response();
    if let Ok(url) = HeaderValue::from_str(url) {
        response.headers_mut().insert(LOCATION, url);
    }
    response
}

/// Brings what the web framework says about a bad request into GitHub's form.
pub(crate) async fn in_github_words(response: Response) -> Response {
    let status = response.status();
    let is_framework = (status.is_client_error() || status.is_server_error())
        && response
            .headers()
            .get(CONTENT_TYPE)
            .is_none_or(|value| value.as_bytes().starts_with(b"text/plain"))
        && is_whole(&response);
    if !is_framework {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let said = whole(body).await;
    let said = String::from_utf8_lossy(&said);
    let (status, message) = match status {
        // GitHub has no route for a method that it does not know.
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => {
            (StatusCode::NOT_FOUND, "Not Found".to_owned())
        }
        // A number that is none, in a path: nothing is there.
        StatusCode::BAD_REQUEST if said.starts_with("Invalid URL") => {
            (StatusCode::NOT_FOUND, "Not Found".to_owned())
        }
        StatusCode::BAD_REQUEST if said.contains("JSON") => {
            (status, "Problems parsing JSON".to_owned())
        }
        StatusCode::UNPROCESSABLE_ENTITY => {
            let reason = said.strip_prefix(AXUM_PREFIX).unwrap_or(&said);
            (status, format!("Invalid request.\n\n{reason}"))
        }
        StatusCode::PAYLOAD_TOO_LARGE => (status, "Payload too large".to_owned()),
        _ if said.is_empty() => {
            let reason = status.canonical_reason().unwrap_or("Server Error");
            (status, reason.to_owned())
        }
        _ => (status, said.into_owned()),
    };
    let body: Value = json!({
        "message": message,
        "documentation_url": DOCUMENTATION,
        "status": status.as_str(),
    });
    parts.status = status;
    parts.headers.remove("content-length");
    parts.headers.remove("allow");
    parts.headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/json; charset=utf-8"),
    );
    Response::from_parts(parts, Body::from(body.to_string()))
}
