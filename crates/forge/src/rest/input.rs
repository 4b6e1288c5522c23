//! Bodies of requests.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use serde::de::{Deserialize, DeserializeOwned, Deserializer};

use crate::error::ApiError;

/// A JSON body. Like GitHub, it is read whatever its content type, and no body
/// is an empty object.
pub(crate) struct Input<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Input<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|rejection| ApiError::Refused {
                status: rejection.status(),
                message: rejection.body_text(),
            })?;
        let text: &[u8] = if bytes.trim_ascii().is_empty() {
            b"{}"
        } else {
            &bytes
        };
        match serde_json::from_slice(text) {
            Ok(value) => Ok(Self(value)),
            Err(error) if error.is_data() => Err(ApiError::Unprocessable(format!(
                "Invalid request.\n\n{error}"
            ))),
            Err(_) => Err(ApiError::NotJson),
        }
    }
}

/// Tells `null` (the inner `None`) from a key that is not there:
/// `#[serde(default, deserialize_with = "nullable")]`.
pub(crate) fn nullable<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}
