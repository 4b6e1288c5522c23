//! What went wrong, in the form GitHub gives it: `type` beside the message.

use async_graphql::{PathSegment, ServerError};
use serde_json::{Map, Value, json};

use crate::error::ApiError;

/// Trouble that only GraphQL has words for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct QueryError {
    /// GitHub's word for the kind of trouble.
    kind: &'static str,
    message: String,
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

impl From<&ApiError> for QueryError {
    fn from(error: &ApiError) -> Self {
        let kind = match error {
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
                "SERVICE_UNAVAILABLE"
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
            ApiError::Database(_) | ApiError::Git(_) | ApiError::Internal(_) => {
                "Something went wrong while executing your query.".to_owned()
            }
            other => other.to_string(),
        };
        Self { kind, message }
    }
}

impl From<ApiError> for QueryError {
    fn from(error: ApiError) -> Self {
        Self::from(&error)
    }
}

/// An entry of `errors`.
pub(super) fn body(error: &ServerError) -> Value {
    let known = match (error.source::<QueryError>(), error.source::<ApiError>()) {
        (Some(known), _) => Some(known.clone()),
        (None, Some(api)) => {
            if api.status().is_server_error() {
                tracing::error!(error = ?api, "the forge failed");
            }
            Some(QueryError::from(api))
        }
        (None, None) => None,
    };
    let mut body = Map::new();
    if let Some(known) = &known {
        body.insert("type".to_owned(), json!(known.kind));
    }
    if !error.path.is_empty() {
        body.insert("path".to_owned(), error.path.iter().map(segment).collect());
    }
    if known.is_none()
        && let Some(extensions) = rules::extensions(&error.message)
    {
        body.insert("extensions".to_owned(), extensions);
    }
    let locations = error.locations.iter();
    body.insert(
        "locations".to_owned(),
        locations
            .map(|at| json!({ "line": at.line, "column": at.column }))
            .collect(),
    );
    let message = match known {
        Some(known) => known.message,
        None => rules::message(&error.message),
    };
    body.insert("message".to_owned(), json!(message));
    Value::Object(body)
}

fn segment(segment: &PathSegment) -> Value {
    match segment {
        PathSegment::Field(name) => json!(name),
        PathSegment::Index(index) => json!(index),
    }
}

/// What is wrong with a document, in GitHub's words instead of the library's.
mod rules {
    use serde_json::{Value, json};

    /// Broken rules that programs look for.
    enum Broken<'a> {
        UnknownField { field: &'a str, on: &'a str },
        UnknownArgument { argument: &'a str, field: &'a str },
        MissingArgument { argument: &'a str, field: &'a str },
    }

    pub(super) fn message(library: &str) -> String {
        match read(library) {
            Some(Broken::UnknownField { field, on }) => {
                format!("Field '{field}' doesn't exist on type '{on}'")
            }
            Some(Broken::UnknownArgument { argument, field }) => {
                format!("Field '{field}' doesn't accept argument '{argument}'")
            }
            Some(Broken::MissingArgument { argument, field }) => {
                format!("Field '{field}' is missing required arguments: {argument}")
            }
            None => library.trim().to_owned(),
        }
    }

    pub(super) fn extensions(library: &str) -> Option<Value> {
        Some(match read(library)? {
            Broken::UnknownField { field, on } => {
                json!({ "code": "undefinedField", "typeName": on, "fieldName": field })
            }
            Broken::UnknownArgument { argument, field } => json!({
                "code": "argumentNotAccepted",
                "name": field,
                "typeName": "Field",
                "argumentName": argument,
            }),
            Broken::MissingArgument { argument, field } => json!({
                "code": "missingRequiredArguments",
                "className": "Field",
                "name": field,
                "arguments": argument,
            }),
        })
    }

    fn read(library: &str) -> Option<Broken<'_>> {
        let mut quoted = library.split('"').skip(1).step_by(2);
        let (first, second) = (quoted.next()?, quoted.next()?);
        if library.starts_with("Unknown field ") {
            Some(Broken::UnknownField {
                field: first,
                on: second,
            })
        } else if library.starts_with("Unknown argument ") && library.contains(" on field ") {
            Some(Broken::UnknownArgument {
                argument: first,
                field: second,
            })
        } else if library.starts_with("Field ")
            && library.ends_with(" is required but not provided")
        {
            Some(Broken::MissingArgument {
                argument: second,
                field: first,
            })
        } else {
            None
        }
    }
}
