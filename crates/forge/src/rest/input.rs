//! Bodies of requests.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;

use crate::error::ApiError;

/// A JSON object as the body. Like GitHub, it is read whatever its content
/// type, and no body is an empty object.
pub(crate) struct Input<T>(pub(crate) T);

/// The same where a bare list will do as well.
pub(crate) struct ListInput<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Input<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let value = json(request, state).await?;
        // A list of values would be taken for an object without its keys.
        if !value.is_object() {
            return Err(ApiError::refused(
                StatusCode::BAD_REQUEST,
                "Body should be a JSON object",
            ));
        }
        understand(value).map(Self)
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for ListInput<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        understand(json(request, state).await?).map(Self)
    }
}

async fn json<S: Send + Sync>(request: Request, state: &S) -> Result<Value, ApiError> {
    let bytes = Bytes::from_request(request, state)
        .await
        .map_err(|rejection| ApiError::refused(rejection.status(), rejection.body_text()))?;
    let text: &[u8] = if bytes.trim_ascii().is_empty() {
        b"{}"
    } else {
        &bytes
    };
    serde_json::from_slice(text).map_err(|_| ApiError::NotJson)
}

fn understand<T: DeserializeOwned>(value: Value) -> Result<T, ApiError> {
    serde_json::from_value(value).map_err(|error| {
        let problem = without_type_names(&error.to_string());
        ApiError::Unprocessable(format!("Invalid request.\n\n{problem}"))
    })
}

/// What a structure is called in here is nobody's business.
fn without_type_names(problem: &str) -> String {
    match problem.split_once("struct ") {
        Some((start, rest)) => {
            let end = rest.find(|c: char| !c.is_alphanumeric());
            let rest = end.map_or("", |end| &rest[end..]);
            format!("{start}an object{rest}")
        }
        None => problem.to_owned(),
    }
}

/// Tells `null` (the inner `None`) from a key that is not there:
/// `#[serde(default, deserialize_with = "nullable")]`.
#[expect(
    clippy::option_option,
    reason = "absent, null and a value are three different things to say"
)]
pub(crate) fn nullable<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}
