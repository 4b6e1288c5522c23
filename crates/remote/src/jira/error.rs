//! The errors of requests to Jira.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::http::{Failure, HttpError};

/// A failed request to Jira.
#[derive(Clone, Debug)]
pub struct JiraError(Box<Details>);

#[derive(Clone, Debug)]
struct Details {
    /// "read", "link", "move".
    doing: &'static str,
    issue: String,
    kind: JiraErrorKind,
}

/// Why.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JiraErrorKind {
    #[error("Jira refuses the credentials")]
    Authentication,
    /// After too many wrong passwords; no program can answer it.
    #[error("Jira wants a captcha solved before it lets this account in again")]
    Captcha,
    /// Jira responds the same way to both, and so do we.
    #[error("there is no such issue, or this account may not see it")]
    IssueNotFound,
    #[error("this account may not do that: {message}")]
    NotPermitted { message: String },
    #[error("Jira refuses: {}", listed(.messages, .fields))]
    Invalid {
        messages: Vec<String>,
        fields: Vec<FieldProblem>,
    },
    #[error("{0}")]
    Http(HttpError),
    /// The MCP server's message, or a note that it sent nothing usable.
    #[error("the MCP server `{server}` answers: {message}")]
    Mcp { server: String, message: String },
    /// The MCP server could not be reached at all.
    #[error("the MCP server `{server}` cannot be used: {reason}")]
    McpUnusable { server: String, reason: String },
}

/// One entry of `errors` in a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldProblem {
    pub field: String,
    pub message: String,
}

impl JiraError {
    pub(super) fn new(doing: &'static str, issue: &str, kind: JiraErrorKind) -> Self {
        Self(Box::new(Details {
            doing,
            issue: issue.to_owned(),
            kind,
        }))
    }

    pub(super) fn http(doing: &'static str, issue: &str, error: HttpError) -> Self {
        Self::new(doing, issue, judge(error))
    }

    pub fn kind(&self) -> &JiraErrorKind {
        &self.0.kind
    }

    /// Whether a retry may well succeed later without any other change.
    pub fn is_transient(&self) -> bool {
        matches!(&self.0.kind, JiraErrorKind::Http(error) if error.is_transient())
    }

    pub fn retry_after(&self) -> Option<Duration> {
        match &self.0.kind {
            JiraErrorKind::Http(error) => error.retry_after(),
            _ => None,
        }
    }

    /// Whether it needs another login. An HTML page instead of a response is
    /// usually a login page.
    pub fn is_about_login(&self) -> bool {
        match &self.0.kind {
            JiraErrorKind::Authentication | JiraErrorKind::Captcha => true,
            JiraErrorKind::Http(error) => matches!(
                error.failure(),
                Failure::NotJson { html: true, .. } | Failure::WebPage
            ),
            _ => false,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match &self.0.kind {
            JiraErrorKind::Authentication => {
                "check the user name and the API token of Jira, and that the token has not expired"
            }
            JiraErrorKind::Captcha => "log in to Jira with a browser once, then try again",
            JiraErrorKind::IssueNotFound => {
                "check the key, and that the account is a member of the project"
            }
            JiraErrorKind::NotPermitted { .. } => {
                "ask an administrator of the Jira project for the right"
            }
            JiraErrorKind::Invalid { .. } => "fill in what is missing in Jira itself",
            JiraErrorKind::Http(error) => match error.failure() {
                Failure::NotJson { html: true, .. } | Failure::WebPage => {
                    "check the URL of Jira; a login page answered, so the account may need single sign-on"
                }
                _ => error.hint(),
            },
            JiraErrorKind::Mcp { .. } => {
                "look into the log of the MCP server, or give Jira's URL and token"
            }
            JiraErrorKind::McpUnusable { .. } => {
                "check how the server is started in the settings that it was found in"
            }
        }
    }
}

/// Classifies a failed response of Jira.
fn judge(error: HttpError) -> JiraErrorKind {
    let Failure::Status(refusal) = error.failure() else {
        return JiraErrorKind::Http(error);
    };
    let denied = refusal.header("x-authentication-denied-reason");
    let reason = refusal.header("x-seraph-loginreason");
    if denied.is_some_and(|reason| reason.contains("CAPTCHA")) {
        return JiraErrorKind::Captcha;
    }
    if reason.is_some_and(|reason| reason.contains("AUTHENTICATED_FAILED")) {
        return JiraErrorKind::Authentication;
    }
    let body = refusal.json.as_ref();
    let texts = |name: &str| -> Vec<String> {
        let list = body.and_then(|body| body.get(name)?.as_array());
        let texts = list.into_iter().flatten().filter_map(|text| text.as_str());
        texts.map(str::to_owned).collect()
    };
    match refusal.status {
        401 => JiraErrorKind::Authentication,
        403 => {
            let mut messages = texts("errorMessages");
            if messages.is_empty() {
                messages.push(refusal.excerpt.clone());
            }
            JiraErrorKind::NotPermitted {
                message: messages.join("; "),
            }
        }
        404 => JiraErrorKind::IssueNotFound,
        400 | 409 | 422 => {
            let errors = body.and_then(|body| body.get("errors")?.as_object());
            let fields = errors
                .into_iter()
                .flatten()
                .map(|(field, message)| FieldProblem {
                    field: field.clone(),
                    message: message.as_str().unwrap_or_default().to_owned(),
                });
            JiraErrorKind::Invalid {
                messages: texts("errorMessages"),
                fields: fields.collect(),
            }
        }
        _ => JiraErrorKind::Http(error),
    }
}

fn listed(messages: &[String], fields: &[FieldProblem]) -> String {
    let fields = fields
        .iter()
        .map(|problem| format!("{}: {}", problem.field, problem.message));
    let all: Vec<String> = messages.iter().cloned().chain(fields).collect();
    if all.is_empty() {
        "it does not say why".to_owned()
    } else {
        all.join("; ")
    }
}

impl fmt::Display for JiraError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { doing, issue, kind } = &*self.0;
        write!(f, "cannot {doing} {issue}: {kind}")
    }
}

impl Error for JiraError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0.kind {
            JiraErrorKind::Http(error) => error.source(),
            _ => None,
        }
    }
}
