//! Removes credentials from responses before they are displayed.

use baton_host::cmd::Redactor;
use reqwest::header::HeaderValue;
use serde_json::Value;

use super::failure::{Cause, Failure, RedirectError, Refusal};

impl Failure {
    /// The same failure, without the secrets that `redactor` knows.
    pub(super) fn redacted(mut self, redactor: &Redactor) -> Self {
        let clean = |text: &mut String| {
            if let std::borrow::Cow::Owned(redacted) = redactor.redact(text) {
                *text = redacted;
            }
        };
        match &mut self {
            Self::Unsendable { reason } | Self::BadJson { reason, .. } => clean(reason),
            Self::ForeignOrigin { origin } => clean(origin),
            Self::Credential(Cause(cause))
            | Self::Protocol(Cause(cause))
            | Self::Reset(Cause(cause))
            | Self::Undecodable(Cause(cause))
            | Self::IncompleteBody {
                cause: Cause(cause),
                ..
            } => clean(cause),
            Self::Connect {
                server: at,
                cause: Cause(cause),
            }
            | Self::Proxy {
                proxy: at,
                cause: Cause(cause),
            }
            | Self::Tls {
                server: at,
                cause: Cause(cause),
            }
            | Self::Output {
                to: at,
                cause: Cause(cause),
            } => {
                clean(at);
                clean(cause);
            }
            Self::RateLimited(limit) => clean(&mut limit.resource),
            Self::NotJson { excerpt, .. } => clean(excerpt),
            Self::Redirect(
                RedirectError::Insecure { target } | RedirectError::NotRepeatable { target, .. },
            ) => clean(target),
            Self::Status(refusal) => refusal.redact(redactor),
            Self::Redirect(RedirectError::TooMany { .. } | RedirectError::NoTarget)
            | Self::Timeout { .. }
            | Self::TooLarge { .. }
            | Self::PageLoop
            | Self::WebPage => {}
        }
        self
    }
}

impl Refusal {
    fn redact(&mut self, redactor: &Redactor) {
        self.excerpt = redactor.redact(&self.excerpt).into_owned();
        if let Some(json) = &mut self.json {
            redact_json(json, redactor);
        }
        for value in self.headers.values_mut() {
            // What is not text is of no use in a message.
            let text = value.to_str().unwrap_or_default();
            let clean = HeaderValue::from_str(&redactor.redact(text));
            *value = clean.unwrap_or_else(|_| HeaderValue::from_static(""));
        }
    }
}

/// After parsing, since JSON can write the same text in many ways.
fn redact_json(value: &mut Value, redactor: &Redactor) {
    match value {
        Value::String(text) => *text = redactor.redact(text).into_owned(),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| redact_json(item, redactor)),
        Value::Object(fields) => {
            let old = std::mem::take(fields);
            for (name, mut value) in old {
                redact_json(&mut value, redactor);
                fields.insert(redactor.redact(&name).into_owned(), value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
