//! The failures of a call, and their classes.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use baton_protocol::error_chain;
use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode};
use serde_json::Value;

use super::display;
use super::rate_limit::{RateLimit, RateLimitKind};

/// Why a call failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    #[error("cannot be sent: {reason}")]
    Unsendable { reason: String },
    #[error("leads to another host ({origin}), where the credential must not go")]
    ForeignOrigin { origin: String },
    #[error("no credential could be had")]
    Credential(#[source] Cause),
    #[error("cannot connect to {server}")]
    Connect {
        server: String,
        #[source]
        cause: Cause,
    },
    #[error("the proxy {proxy} does not let it through")]
    Proxy {
        proxy: String,
        #[source]
        cause: Cause,
    },
    #[error("cannot make an encrypted connection to {server}")]
    Tls {
        server: String,
        #[source]
        cause: Cause,
    },
    #[error("{phase} took longer than {}", display::duration(*.limit))]
    Timeout { phase: Phase, limit: Duration },
    #[error("the server's answer is not HTTP")]
    Protocol(#[source] Cause),
    #[error("the connection broke before there was an answer")]
    Reset(#[source] Cause),
    #[error("the connection broke in the middle of the answer, after {received} bytes")]
    IncompleteBody {
        received: u64,
        #[source]
        cause: Cause,
    },
    #[error("the answer is packed in a way that cannot be unpacked")]
    Undecodable(#[source] Cause),
    #[error("the answer has more than {}", display::bytes(*.cap))]
    TooLarge { cap: u64 },
    #[error("a redirect was not followed: {0}")]
    Redirect(RedirectError),
    #[error("{}", display::rate_limit(.0))]
    RateLimited(RateLimit),
    #[error("the server answered {0}")]
    Status(Box<Refusal>),
    #[error("{}", display::not_json(*.html, .excerpt))]
    NotJson { html: bool, excerpt: String },
    #[error("an HTML page came instead of what was asked for")]
    WebPage,
    #[error(
        "the answer is not the JSON that was expected: {reason} at line {line}, column {column}"
    )]
    BadJson {
        line: usize,
        column: usize,
        reason: String,
    },
    #[error("the list goes in circles: its next page is one that was read before")]
    PageLoop,
    #[error("cannot write the answer to {to}")]
    Output {
        to: String,
        #[source]
        cause: Cause,
    },
}

/// A response with an error status.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub status: u16,
    /// The beginning of the body, safe to display.
    pub excerpt: String,
    /// The body, if it is JSON.
    pub json: Option<Value>,
    pub retry_after: Option<Duration>,
    pub(super) headers: HeaderMap,
}

impl Refusal {
    /// A header's first value, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status)?;
        let reason = StatusCode::from_u16(self.status)
            .ok()
            .and_then(|status| status.canonical_reason());
        if let Some(reason) = reason {
            write!(f, " {reason}")?;
        }
        let message = self
            .json
            .as_ref()
            .and_then(|json| json.get("message")?.as_str());
        match message {
            Some(message) => write!(f, ": {}", display::excerpt(message)),
            None if self.excerpt.is_empty() => Ok(()),
            None => write!(f, ": {}", self.excerpt),
        }
    }
}

/// When the time ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    Connect,
    /// Until the response started.
    Answer,
    /// In the middle of the response.
    Body,
    /// All attempts together.
    Overall,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "connecting",
            Self::Answer => "the answer",
            Self::Body => "the rest of the answer",
            Self::Overall => "the call with its retries",
        })
    }
}

/// Why a redirect was not followed. Targets are displayed without their query,
/// which may contain a permission.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedirectError {
    #[error("there were more than {limit}")]
    TooMany { limit: u32 },
    #[error("the server gave no target that can be used")]
    NoTarget,
    #[error("it leads to {target}, which is not encrypted")]
    Insecure { target: String },
    #[error("it leads to {target}, and a {method} must not be sent again")]
    NotRepeatable { method: Method, target: String },
}

/// The kind of a failure, which decides about retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    Unsendable,
    ForeignOrigin,
    Credential,
    Connect,
    Proxy,
    Tls,
    Timeout(Phase),
    Protocol,
    Reset,
    IncompleteBody,
    Undecodable,
    TooLarge,
    Redirect,
    RateLimited(RateLimitKind),
    Status(u16),
    NotJson,
    WebPage,
    BadJson,
    PageLoop,
    Output,
}

impl Class {
    /// Whether the same call may well succeed later without any other change.
    pub fn is_transient(self) -> bool {
        match self {
            Self::Connect
            | Self::Timeout(_)
            | Self::Reset
            | Self::IncompleteBody
            | Self::RateLimited(_) => true,
            Self::Status(status) => matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504),
            Self::Unsendable
            | Self::ForeignOrigin
            | Self::Credential
            | Self::Proxy
            | Self::Tls
            | Self::Protocol
            | Self::Undecodable
            | Self::TooLarge
            | Self::Redirect
            | Self::NotJson
            | Self::WebPage
            | Self::BadJson
            | Self::PageLoop
            | Self::Output => false,
        }
    }
}

impl Failure {
    pub fn class(&self) -> Class {
        match self {
            Self::Unsendable { .. } => Class::Unsendable,
            Self::ForeignOrigin { .. } => Class::ForeignOrigin,
            Self::Credential(_) => Class::Credential,
            Self::Connect { .. } => Class::Connect,
            Self::Proxy { .. } => Class::Proxy,
            Self::Tls { .. } => Class::Tls,
            Self::Timeout { phase, .. } => Class::Timeout(*phase),
            Self::Protocol(_) => Class::Protocol,
            Self::Reset(_) => Class::Reset,
            Self::IncompleteBody { .. } => Class::IncompleteBody,
            Self::Undecodable(_) => Class::Undecodable,
            Self::TooLarge { .. } => Class::TooLarge,
            Self::Redirect(_) => Class::Redirect,
            Self::RateLimited(limit) => Class::RateLimited(limit.kind),
            Self::Status(answer) => Class::Status(answer.status),
            Self::NotJson { .. } => Class::NotJson,
            Self::WebPage => Class::WebPage,
            Self::BadJson { .. } => Class::BadJson,
            Self::PageLoop => Class::PageLoop,
            Self::Output { .. } => Class::Output,
        }
    }

    /// How long the server asks to wait before the next attempt.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited(limit) => limit.retry_after,
            Self::Status(answer) => answer.retry_after,
            _ => None,
        }
    }

    /// What to do next.
    pub(super) fn hint(&self) -> &'static str {
        match self {
            Self::Unsendable { .. } => "check the names that were given",
            Self::ForeignOrigin { .. } | Self::PageLoop => {
                "check that the configured URL is the one that the server itself uses"
            }
            Self::Credential(_) => "check how the credential is configured",
            Self::Connect { .. } => "check the configured URL and the network, then try again",
            Self::Proxy { .. } => {
                "check the proxy's address and credentials, or name the host in NO_PROXY"
            }
            Self::Tls { .. } => {
                "if the server uses certificates of your organisation, give their file with SSL_CERT_FILE"
            }
            Self::Timeout { .. } | Self::Reset(_) | Self::IncompleteBody { .. } => {
                "try again; if it stays so, check the network and the server's status page"
            }
            Self::Protocol(_) | Self::Undecodable(_) => {
                "check the configured URL, and for a proxy on the way that changes answers"
            }
            Self::TooLarge { .. } => "ask for less at a time",
            Self::Redirect(kind) => match kind {
                RedirectError::TooMany { .. } | RedirectError::NoTarget => {
                    "check the configured URL; if it is right, the server has to be mended"
                }
                RedirectError::Insecure { .. } => "the server has to send to an https:// address",
                RedirectError::NotRepeatable { .. } => "use the address that the server names",
            },
            Self::RateLimited(limit) => match limit.kind {
                RateLimitKind::Primary => {
                    "wait until the quota is renewed, or use a credential with more"
                }
                RateLimitKind::Secondary => "wait before the next call, and make fewer at a time",
            },
            Self::Status(answer) => match answer.status {
                401 => "check that the token is valid and not expired",
                403 => "check that the token has the permissions that this needs",
                404 => "check the name, and that the token may see it",
                407 => "check the proxy's credentials",
                409 | 422 => "check what was sent against what the server says",
                500..=599 => "try again later; the server's status page may say more",
                _ => "check what was asked against what the server says",
            },
            Self::NotJson { .. } | Self::WebPage => {
                "check the configured URL, and for a proxy or a login page on the way"
            }
            Self::BadJson { .. } => "check that the server is of a supported version",
            Self::Output { .. } => "free some space or choose another place, then try again",
        }
    }
}

/// The cause of a failure, as text: the errors of the lower layers contain URLs
/// and have dozens of types that no caller should match on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Cause(pub(super) String);

impl Cause {
    /// The error and its sources, without repetition.
    pub(super) fn from_error(error: &(dyn Error + 'static)) -> Self {
        // These layers only add where it happened.
        let between =
            error.is::<reqwest::Error>() || error.is::<hyper_util::client::legacy::Error>();
        if let Some(source) = error.source().filter(|_| between) {
            return Self::from_error(source);
        }
        Self(display::excerpt(&error_chain(error)))
    }
}
