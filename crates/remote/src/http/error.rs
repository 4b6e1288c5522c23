//! A failed call: the request, and what happened.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use reqwest::{Method, Url};

use super::credential::Credential;
use super::display;
use super::failure::{Class, Failure};

/// A call without a usable response: the request and what happened.
///
/// It never contains a credential, not even one that the server sent back.
#[derive(Clone, Debug)]
pub struct HttpError(Box<Details>);

#[derive(Clone, Debug)]
struct Details {
    method: Method,
    url: String,
    attempts: u32,
    failure: Failure,
}

impl HttpError {
    pub fn failure(&self) -> &Failure {
        &self.0.failure
    }

    pub fn class(&self) -> Class {
        self.0.failure.class()
    }

    pub fn method(&self) -> &Method {
        &self.0.method
    }

    /// The requested URL, without credentials and without secrets in its query.
    pub fn url(&self) -> &str {
        &self.0.url
    }

    /// The number of attempts; zero when it never left this machine.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// The status of a refusal.
    pub fn status(&self) -> Option<u16> {
        match &self.0.failure {
            Failure::Status(answer) => Some(answer.status),
            _ => None,
        }
    }

    /// How long the server asks to wait before the next attempt.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.failure.retry_after()
    }

    /// Whether the same call may well succeed later without any other change.
    pub fn is_transient(&self) -> bool {
        self.class().is_transient()
    }

    /// What to do next.
    pub fn hint(&self) -> &'static str {
        self.0.failure.hint()
    }
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details {
            method,
            url,
            attempts,
            failure,
        } = &*self.0;
        write!(f, "{method} {url}: {failure}")?;
        if *attempts > 1 {
            write!(f, " (after {attempts} attempts)")?;
        }
        Ok(())
    }
}

impl Error for HttpError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.failure.source()
    }
}

/// The request and its credential, from which an error is made if needed.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) credential: Option<Credential>,
    pub(super) attempts: u32,
}

impl Asked {
    pub(super) fn failed(&self, failure: Failure) -> HttpError {
        self.failed_at(display::url(&self.url), failure)
    }

    /// For a call whose URL could not be built; `url` is as much as is known.
    pub(super) fn failed_at(&self, url: String, failure: Failure) -> HttpError {
        let failure = match &self.credential {
            Some(credential) => failure.redacted(credential.redactor()),
            None => failure,
        };
        HttpError(Box::new(Details {
            method: self.method.clone(),
            url: display::shortened_url(&self.redacted(url)),
            attempts: self.attempts,
            failure,
        }))
    }

    /// The beginning of foreign text. Secrets are removed first: a cut in the
    /// middle of one would hide it from the search, and reveal half of it.
    pub(super) fn excerpt(&self, text: &str) -> String {
        match &self.credential {
            Some(credential) => display::excerpt(&credential.redactor().redact(text)),
            None => display::excerpt(text),
        }
    }

    pub(super) fn redacted(&self, text: String) -> String {
        match &self.credential {
            Some(credential) => credential.redactor().redact(&text).into_owned(),
            None => text,
        }
    }
}
