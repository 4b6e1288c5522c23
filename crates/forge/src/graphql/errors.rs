//! What went wrong, in the form GitHub gives it: `type` beside the message.

use async_graphql_parser::{Error as ParseError, Pos};
use serde_json::{Value, json};

use super::schema::location;
use crate::error::ApiError;

/// A field that could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct QueryError {
    /// GitHub's word for the kind of error.
    pub(super) kind: &'static str,
    pub(super) message: String,
}

impl QueryError {
    pub(super) fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// Nothing has this name, number or id, as far as the caller may know.
    pub(super) fn not_found(message: impl Into<String>) -> Self {
        Self::new("NOT_FOUND", message)
    }

    pub(super) fn unprocessable(message: impl Into<String>) -> Self {
        Self::new("UNPROCESSABLE", message)
    }

    pub(super) fn unknown_id(id: &str) -> Self {
        Self::not_found(format!(
            "Could not resolve to a node with the global id of '{id}'"
        ))
    }

    /// As the whole answer: before anything was looked at.
    pub(super) fn body(&self) -> Value {
        json!({ "type": self.kind, "message": self.message })
    }
}

impl From<ApiError> for QueryError {
    fn from(error: ApiError) -> Self {
        let kind = match &error {
            ApiError::NotFound => "NOT_FOUND",
            ApiError::Unauthorized(_) | ApiError::Forbidden(_) | ApiError::Blocked { .. } => {
                "FORBIDDEN"
            }
            ApiError::Invalid(_)
            | ApiError::Unprocessable(_)
            | ApiError::Sentences(_)
            | ApiError::Refused { .. }
            | ApiError::NotJson => "UNPROCESSABLE",
            ApiError::Database(_) | ApiError::Git(_) | ApiError::Internal(_) => {
                tracing::error!(error = ?error, "the forge failed");
                return Self::new(
                    "SERVICE_UNAVAILABLE",
                    "Something went wrong while executing your query.",
                );
            }
        };
        let message = match error {
            ApiError::Invalid(fields) => {
                let messages = fields
                    .iter()
                    .map(|field| match (&field.message, field.field) {
                        (Some(message), _) => message.clone(),
                        (None, Some(name)) => format!("{name} is {}", field.code.replace('_', " ")),
                        (None, None) => format!("{} is {}", field.resource, field.code),
                    });
                messages.collect::<Vec<_>>().join(", ")
            }
            ApiError::Sentences(sentences) => sentences.join(", "),
            other => other.to_string(),
        };
        Self { kind, message }
    }
}

impl From<rusqlite::Error> for QueryError {
    fn from(error: rusqlite::Error) -> Self {
        ApiError::from(error).into()
    }
}

impl From<baton_host::git::GitError> for QueryError {
    fn from(error: baton_host::git::GitError) -> Self {
        ApiError::from(error).into()
    }
}

/// A document that does not fit the schema. Programs look for the code in the extensions.
pub(super) fn invalid(message: &str, pos: Pos, extensions: Option<Value>) -> Value {
    let mut body = json!({ "locations": location(pos), "message": message });
    if let Some(extensions) = extensions {
        body["extensions"] = extensions;
    }
    body
}

/// A document that is no GraphQL. The parser draws a picture: the place in its first line, what it
/// expected in its last.
pub(super) fn unreadable(error: &ParseError) -> Value {
    let text = error.to_string();
    let read = || {
        let mut lines = text.lines();
        let place = lines.next()?.trim().strip_prefix("--> ")?;
        let expected = lines.next_back()?.trim().strip_prefix("= ")?;
        let place = place.replace(':', ", ");
        Some(format!("Parse error at [{place}]: {expected}"))
    };
    let pos = error.positions().next().unwrap_or_default();
    invalid(&read().unwrap_or_else(|| text.clone()), pos, None)
}
