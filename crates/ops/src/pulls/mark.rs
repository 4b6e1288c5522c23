//! The mark by which an act in a conversation is known again.

use std::fmt;

use baton_protocol::Repository;
use baton_remote::github::{Account, GitHub, GitHubError};
use sha2::{Digest as _, Sha256};

use crate::error::OpError;

/// Eight bytes: there are never so many acts in one conversation that two would meet.
const BYTES: usize = 8;

/// Stands in a text, in a comment that pages do not show.
pub(super) struct Mark {
    tool: &'static str,
    key: String,
}

impl Mark {
    /// The same for the same parts.
    pub(super) fn new<'a>(tool: &'static str, parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let digest = hash.finalize();
        let hex = digest.iter().take(BYTES).map(|byte| format!("{byte:02x}"));
        Self {
            tool,
            key: hex.collect(),
        }
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Others can write the mark too, so ask for the author as well.
    pub(super) fn is_in(&self, body: &str) -> bool {
        body.contains(&self.to_string())
    }

    /// The text with the mark below it.
    pub(super) fn below(&self, text: &str) -> String {
        match text.trim() {
            "" => self.to_string(),
            text => format!("{text}\n\n{self}"),
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<!-- baton:{} {} -->", self.tool, self.key)
    }
}

/// The owner of the token.
pub(super) struct Viewer {
    login: String,
}

impl Viewer {
    pub(super) async fn ask(github: &GitHub) -> Result<Self, GitHubError> {
        let login = github.viewer().await?.login;
        Ok(Self { login })
    }

    /// REST marks the login of an app, GraphQL does not.
    pub(super) fn wrote(&self, author: Option<&Account>) -> bool {
        let plain = |login: &str| login.trim_end_matches("[bot]").to_ascii_lowercase();
        author.is_some_and(|author| plain(&author.login) == plain(&self.login))
    }
}

/// A list that is not whole does not say whether an act was done before.
pub(super) fn whole(
    truncated: bool,
    what: &str,
    repository: &Repository,
    number: u32,
) -> Result<(), OpError> {
    if !truncated {
        return Ok(());
    }
    Err(OpError::logical(
        format!(
            "{repository}#{number} has more {what} than can be read, so whether this was said before is not known"
        ),
        "Look at its page, and write there.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_into_each_other() {
        let key = |parts: &[&str]| Mark::new("test", parts.iter().copied()).key;
        assert_eq!(key(&["ab", "c"]), key(&["ab", "c"]));
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
    }

    #[test]
    fn a_mark_is_found_in_its_text() {
        let mark = Mark::new("test", ["one"]);
        assert!(mark.is_in(&mark.below("Why?\n")));
        assert!(mark.is_in(&mark.below(" ")));
        assert!(!Mark::new("test", ["two"]).is_in(&mark.below("Why?")));
    }
}
