//! Classifies a refusal by its reason.

use serde_json::Value;

use super::error::{FieldProblem, GitHubErrorKind};
use crate::http::{Failure, HttpError, RedirectError, Refusal, display};

/// The error of a failed call. `anonymous`: no credential was sent.
pub(super) fn classify(error: HttpError, anonymous: bool) -> GitHubErrorKind {
    let read = match error.failure() {
        Failure::RateLimited(limit) => Some(GitHubErrorKind::RateLimited(limit.clone())),
        Failure::Status(refusal) => read(refusal, anonymous),
        _ => None,
    };
    read.unwrap_or(GitHubErrorKind::Http(error))
}

/// GitHub redirects the callers of a renamed repository, and a change is not sent
/// twice.
pub(super) fn is_unfollowed_redirect(error: &HttpError) -> bool {
    matches!(
        error.failure(),
        Failure::Redirect(RedirectError::NotRepeatable { .. })
    )
}

fn read(refusal: &Refusal, anonymous: bool) -> Option<GitHubErrorKind> {
    let message = message(refusal);
    Some(match refusal.status {
        401 if anonymous => GitHubErrorKind::NoCredentials,
        401 => GitHubErrorKind::BadCredentials { message },
        403 | 451 => forbidden(refusal, message),
        404 => GitHubErrorKind::NotFound {
            message,
            missing_scopes: missing_scopes(refusal).map_or_else(Vec::new, |scopes| scopes.needed),
        },
        405 | 409 => GitHubErrorKind::Refused {
            status: refusal.status,
            message,
        },
        410 => GitHubErrorKind::Gone { message },
        400 | 422 => GitHubErrorKind::Invalid {
            message,
            problems: problems(refusal.json.as_ref()),
        },
        _ => return None,
    })
}

fn forbidden(refusal: &Refusal, message: String) -> GitHubErrorKind {
    if let Some(header) = refusal.header("x-github-sso") {
        return GitHubErrorKind::SingleSignOn {
            url: sso_url(header),
        };
    }
    let block = refusal.json.as_ref().and_then(|json| json.get("block"));
    if block.is_some() || refusal.status == 451 {
        let text = |name| Some(display::excerpt(block?.get(name)?.as_str()?));
        return GitHubErrorKind::Blocked {
            message,
            reason: text("reason"),
            url: text("html_url"),
        };
    }
    if message.contains("archived") {
        return GitHubErrorKind::Archived;
    }
    if let Some(Scopes { needed, granted }) = missing_scopes(refusal) {
        return GitHubErrorKind::MissingScopes { needed, granted };
    }
    let needed = refusal.header("x-accepted-github-permissions");
    GitHubErrorKind::NotPermitted {
        message,
        needed: needed
            .filter(|needed| !needed.is_empty())
            .map(display::excerpt),
    }
}

struct Scopes {
    needed: Vec<String>,
    granted: Vec<String>,
}

/// GitHub reports which scopes a call needs and which the token has. Tokens
/// without scopes (fine-grained ones, those of apps) have no such header.
fn missing_scopes(refusal: &Refusal) -> Option<Scopes> {
    let granted = scopes(refusal.header("x-oauth-scopes")?);
    let needed = scopes(refusal.header("x-accepted-oauth-scopes")?);
    let enough = needed.is_empty()
        || needed
            .iter()
            .any(|needed| granted.iter().any(|granted| includes(granted, needed)));
    (!enough).then_some(Scopes { needed, granted })
}

fn scopes(header: &str) -> Vec<String> {
    header
        .split(',')
        .map(str::trim)
        .filter(|scope| !scope.is_empty())
        .map(display::excerpt)
        .collect()
}

/// Some scopes contain others.
fn includes(granted: &str, needed: &str) -> bool {
    granted == needed
        || match granted {
            "repo" => matches!(
                needed,
                "public_repo"
                    | "repo:status"
                    | "repo_deployment"
                    | "repo:invite"
                    | "security_events"
            ),
            "admin:org" => matches!(needed, "write:org" | "read:org"),
            "write:org" => needed == "read:org",
            "user" => matches!(needed, "read:user" | "user:email" | "user:follow"),
            "admin:repo_hook" => matches!(needed, "write:repo_hook" | "read:repo_hook"),
            _ => false,
        }
}

/// `required; url=https://github.com/orgs/…/sso?authorization_request=…`.
pub(super) fn sso_url(header: &str) -> Option<String> {
    let (_, url) = header.split_once("url=")?;
    let url = url.split([';', ',']).next()?.trim();
    url.starts_with("https://").then(|| url.to_owned())
}

/// GitHub's message.
pub(super) fn message(refusal: &Refusal) -> String {
    let message = refusal
        .json
        .as_ref()
        // Merges in the background say it one level below.
        .and_then(|json| {
            let below = || json.get("details")?.get("message");
            json.get("message").or_else(below)?.as_str()
        });
    match message {
        Some(message) => display::excerpt(message),
        None if refusal.excerpt.is_empty() => format!("status {}", refusal.status),
        None => refusal.excerpt.clone(),
    }
}

/// `errors` contains objects or sometimes plain texts, or is a text itself.
fn problems(json: Option<&Value>) -> Vec<FieldProblem> {
    let said = |message: &str| FieldProblem {
        resource: None,
        field: None,
        code: None,
        message: Some(display::excerpt(message)),
    };
    let problem = |entry: &Value| match entry {
        Value::String(message) => said(message),
        entry => {
            let text = |name| Some(display::excerpt(entry.get(name)?.as_str()?));
            FieldProblem {
                resource: text("resource"),
                field: text("field"),
                code: text("code"),
                message: text("message"),
            }
        }
    };
    match json.and_then(|json| json.get("errors")) {
        Some(Value::Array(entries)) => entries.iter().take(20).map(problem).collect(),
        Some(Value::String(message)) => vec![said(message)],
        _ => Vec::new(),
    }
}
