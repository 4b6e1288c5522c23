//! What was being done, for the messages when it fails.

use std::fmt;

use baton_protocol::Repository;

use crate::http::display;

/// "read pull request octo/app#12".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errand {
    verb: &'static str,
    object: String,
    repository: Option<Repository>,
    /// The permission that a fine-grained token needs to read it.
    permission: Option<&'static str>,
}

impl Errand {
    /// `object` may contain untrusted names.
    pub(super) fn new(verb: &'static str, object: impl AsRef<str>) -> Self {
        Self {
            verb,
            object: display::excerpt(object.as_ref()),
            repository: None,
            permission: None,
        }
    }

    /// A request about a pull request or issue with a number.
    pub(super) fn numbered(
        verb: &'static str,
        what: &str,
        repository: &Repository,
        number: u32,
    ) -> Self {
        Self::new(verb, format!("{what} {repository}#{number}")).within(repository)
    }

    pub(super) fn within(mut self, repository: &Repository) -> Self {
        self.repository = Some(repository.clone());
        self
    }

    pub(super) fn needing(mut self, permission: &'static str) -> Self {
        self.permission = Some(permission);
        self
    }

    pub(super) fn permission(&self) -> Option<&'static str> {
        self.permission
    }

    /// What it was done to, such as "pull request octo/app#12".
    pub fn object(&self) -> &str {
        &self.object
    }

    pub fn repository(&self) -> Option<&Repository> {
        self.repository.as_ref()
    }
}

impl fmt::Display for Errand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.object)
    }
}
