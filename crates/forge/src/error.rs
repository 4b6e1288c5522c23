//! Answers that say no, in the bodies GitHub sends.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

const DOCUMENTATION: &str = "https://docs.github.com/rest";

/// What nearly every function of the forge gives: a value, or an answer that says no.
pub(crate) type Result<T, E = ApiError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    /// Also what a caller without access to a private repository is told.
    #[error("Not Found")]
    NotFound,
    #[error("{0}")]
    Unauthorized(&'static str),
    #[error("{0}")]
    Forbidden(String),
    #[error("Validation Failed")]
    Invalid(Vec<FieldError>),
    /// No one may use it, for the reason given.
    #[error("Repository access blocked")]
    Blocked { reason: String, since: String },
    /// A body whose fields have the wrong types.
    #[error("{0}")]
    Unprocessable(String),
    /// A 422 whose `errors` are sentences, as GitHub answers about reviews.
    #[error("Unprocessable Entity")]
    Sentences(Vec<String>),
    #[error("{message}")]
    Refused { status: StatusCode, message: String },
    #[error("Problems parsing JSON")]
    NotJson,
    #[error("the forge could not use its database")]
    Database(#[from] rusqlite::Error),
    #[error("git could not be run")]
    Git(#[from] baton_host::git::GitError),
    #[error("{0}")]
    Internal(String),
}

/// One entry of the `errors` list of a 422.
#[derive(Debug, Clone)]
pub(crate) struct FieldError {
    pub(crate) resource: &'static str,
    /// Absent where the thing as a whole is wrong.
    pub(crate) field: Option<&'static str>,
    /// `missing`, `missing_field`, `invalid`, `already_exists`, `custom` …
    pub(crate) code: &'static str,
    pub(crate) message: Option<String>,
    /// What was given.
    pub(crate) value: Option<Value>,
}

impl ApiError {
    pub(crate) fn internal(what: impl Into<String>) -> Self {
        Self::Internal(what.into())
    }

    pub(crate) fn invalid(
        resource: &'static str,
        field: &'static str,
        code: &'static str,
        message: Option<String>,
    ) -> Self {
        Self::Invalid(vec![FieldError {
            message,
            ..FieldError::new(resource, field, code)
        }])
    }

    /// A 422 with a sentence about the thing as a whole.
    pub(crate) fn custom(resource: &'static str, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError {
            resource,
            field: None,
            code: "custom",
            message: Some(message.into()),
            value: None,
        }])
    }

    pub(crate) fn refused(status: StatusCode, message: impl Into<String>) -> Self {
        Self::Refused {
            status,
            message: message.into(),
        }
    }

    /// Who may see something, but not change it.
    pub(crate) fn not_accessible() -> Self {
        Self::Forbidden("Resource not accessible by personal access token".to_owned())
    }

    pub(crate) fn issues_disabled() -> Self {
        Self::Refused {
            status: StatusCode::GONE,
            message: "Issues are disabled for this repo".to_owned(),
        }
    }

    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Unauthorized(_) => StatusCode::UNAUTHORIZED,
            Self::Blocked { reason, .. } if reason == "dmca" => {
                StatusCode::UNAVAILABLE_FOR_LEGAL_REASONS
            }
            Self::Blocked { .. } | Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::Invalid(_) | Self::Sentences(_) | Self::Unprocessable(_) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Self::Refused { status, .. } => *status,
            Self::NotJson => StatusCode::BAD_REQUEST,
            Self::Database(_) | Self::Git(_) | Self::Internal(_) => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        }
    }

    fn body(&self) -> Value {
        let mut body = json!({
            "message": self.to_string(),
            "documentation_url": DOCUMENTATION,
            "status": self.status().as_str(),
        });
        match self {
            Self::Invalid(fields) => {
                body["errors"] = fields.iter().map(FieldError::body).collect();
            }
            Self::Sentences(messages) => body["errors"] = json!(messages),
            Self::Blocked { reason, since } => {
                body["block"] = json!({"reason": reason, "created_at": since, "html_url": null});
            }
            _ => {}
        }
        body
    }
}

impl FieldError {
    pub(crate) fn new(resource: &'static str, field: &'static str, code: &'static str) -> Self {
        Self {
            resource,
            field: Some(field),
            code,
            message: None,
            value: None,
        }
    }

    pub(crate) fn missing(resource: &'static str, field: &'static str) -> Self {
        Self::new(resource, field, "missing_field")
    }

    fn body(&self) -> Value {
        let mut body = json!({
            "resource": self.resource,
            "code": self.code,
        });
        if let Some(field) = self.field {
            body["field"] = json!(field);
        }
        if let Some(message) = &self.message {
            body["message"] = json!(message);
        }
        if let Some(value) = &self.value {
            body["value"] = value.clone();
        }
        body
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        if let Self::Database(_) | Self::Git(_) | Self::Internal(_) = &self {
            tracing::error!(error = ?self, "the forge failed");
        }
        (self.status(), Json(self.body())).into_response()
    }
}
