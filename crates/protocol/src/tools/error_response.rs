//! What a tool answers that cannot do its work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Problems;

/// What a tool answers when it cannot do its work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorResponse {
    /// What happened, and to what.
    pub error: String,
    pub category: ErrorCategory,
    /// More facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Map<String, Value>>,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// Seconds to wait before the next try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

/// Who can do something about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ErrorCategory {
    /// The caller's: wrong input, something that does not exist, no credential.
    User,
    /// The server's: network, rate limit, server error.
    Api,
    /// The question makes no sense as the facts stand.
    Logical,
}

impl ErrorResponse {
    pub fn new(category: ErrorCategory, error: impl Into<String>) -> Self {
        Self {
            error: error.into(),
            category,
            details: None,
            suggestion: None,
            retry_after: None,
        }
    }

    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// A rate limit, with the time to wait.
    pub fn rate_limited(retry_after: u64) -> Self {
        Self {
            retry_after: Some(retry_after),
            ..Self::new(ErrorCategory::Api, "Rate limited")
                .suggest(format!("Call again in {retry_after} seconds."))
        }
    }

    /// All problems of an input, in one answer.
    pub fn invalid_input(problems: &Problems) -> Self {
        let list = problems
            .iter()
            .map(|p| serde_json::json!({ "path": p.path, "message": p.message }));
        let details = Map::from_iter([("problems".to_owned(), list.collect())]);
        Self {
            details: Some(details),
            ..Self::new(
                ErrorCategory::User,
                format!(
                    "Invalid input: {}",
                    problems.to_string().replace('\n', "; ")
                ),
            )
        }
    }
}
