//! Replaces rmcp's response to a body that is not a message.
//!
//! rmcp responds with 415 and a text about its own types. JSON-RPC has an error
//! for it.

use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

const JSON: &str = "application/json";

const PARSE_ERROR: &str = concat!(
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"#,
    r#""the body is no JSON-RPC message; send one JSON object"}}"#,
);

pub(super) async fn answer(request: Request, next: Next) -> Response {
    let given = request.headers().get(CONTENT_TYPE);
    let is_json = given.is_some_and(|given| given.as_bytes().starts_with(JSON.as_bytes()));
    let response = next.run(request).await;
    if is_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return (StatusCode::BAD_REQUEST, [(CONTENT_TYPE, JSON)], PARSE_ERROR).into_response();
    }
    response
}
