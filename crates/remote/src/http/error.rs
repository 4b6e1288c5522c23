//! A call that failed: what was asked, and what happened.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use reqwest::{Method, Url};

use super::credential::Credential;
use super::failure::{Class, Failure};
use super::shown;

/// A call that brought no usable answer: what was asked, and what happened.
///
/// It never shows a credential, not even one that the server sent back.
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

    /// What was asked, without credentials and without what a query may keep
    /// secret.
    pub fn url(&self) -> &str {
        &self.0.url
    }

    /// How often it was tried; none when it never left this machine.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// The status of an answer that was a refusal.
    pub fn status(&self) -> Option<u16> {
        match &self.0.failure {
            Failure::Status(answer) => Some(answer.status),
            _ => None,
        }
    }

    /// What the server wants waited before the next try.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.failure.retry_after()
    }

    /// Whether the same call may well succeed later with nobody doing anything.
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

/// What was asked and by whom, from which an error is made if it comes to that.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) credential: Option<Credential>,
    pub(super) attempts: u32,
}

impl Asked {
    pub(super) fn failed(&self, failure: Failure) -> HttpError {
        self.failed_at(shown::url(&self.url), failure)
    }

    /// For a call whose URL could not be made; `url` is as much as is known.
    pub(super) fn failed_at(&self, url: String, failure: Failure) -> HttpError {
        let failure = match &self.credential {
            Some(credential) => failure.redacted(credential.redactor()),
            None => failure,
        };
        HttpError(Box::new(Details {
            method: self.method.clone(),
            url: shown::shortened_url(&self.redacted(url)),
            attempts: self.attempts,
            failure,
        }))
    }

    /// The beginning of foreign text. Secrets go first: a cut in the middle of
    /// one would hide it from the search, and show half of it.
    pub(super) fn excerpt(&self, text: &str) -> String {
        match &self.credential {
            Some(credential) => shown::excerpt(&credential.redactor().redact(text)),
            None => shown::excerpt(text),
        }
    }

    pub(super) fn redacted(&self, text: String) -> String {
        match &self.credential {
            Some(credential) => credential.redactor().redact(&text).into_owned(),
            None => text,
        }
    }
}
