//! The ids of runs and of their commands.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Identifies a run among all runs. It becomes part of branch names, markers and
/// folders, hence the small alphabet.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(Arc<str>);

/// The text is not a valid run id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a run is named by up to {MAX_RUN_ID} letters a-z, digits and hyphens; see `baton runs`")]
pub struct InvalidRunId;

/// Leaves room for the rest of a branch name or a file name.
const MAX_RUN_ID: usize = 40;

impl RunId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RunId {
    type Err = InvalidRunId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_plain = text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if text.is_empty() || text.len() > MAX_RUN_ID || text.starts_with('-') || !is_plain {
            return Err(InvalidRunId);
        }
        Ok(Self(text.into()))
    }
}

impl TryFrom<String> for RunId {
    type Error = InvalidRunId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<RunId> for String {
    fn from(run: RunId) -> Self {
        run.as_str().to_owned()
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Identifies one command of a run, such as `20310506-7f3a/004-fix`. It stays the
/// same across crashes and retries, so that effects can be found again by it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Key(Arc<str>);

impl Key {
    pub(crate) fn numbered(run: &RunId, number: u32, name: &str) -> Self {
        Self(format!("{run}/{number:03}-{name}").into())
    }

    /// The key of something that belongs to this one.
    pub(crate) fn with(&self, part: impl fmt::Display) -> Self {
        Self(format!("{self}/{part}").into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Without the run: `004-fix`.
    pub fn within_run(&self) -> &str {
        self.0.split_once('/').map_or(&self.0, |(_, name)| name)
    }
}

impl From<String> for Key {
    /// A key that was stored, by this run or by something that claims to be; only
    /// an equal one counts.
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<Key> for String {
    fn from(key: Key) -> Self {
        key.as_str().to_owned()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
