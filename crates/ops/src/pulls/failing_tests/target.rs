//! What is asked about: a pull request, or a commit by itself.

use std::fmt;

use baton_protocol::{PrReference, Repository};
use baton_remote::github::CommitId;

use crate::pulls::desk::Desk;
use crate::pulls::trouble::ToolError;

pub(super) enum Target {
    Pull(PrReference),
    Commit {
        repository: Repository,
        commit: CommitId,
    },
}

impl Target {
    /// Reads a reference to a pull request, `owner/repo@` with the full id of a
    /// commit or, inside a checkout, the id alone.
    pub(super) fn read(desk: &Desk, text: &str) -> Result<Self, ToolError> {
        let text = text.trim();
        let (repository, id) = match text.rsplit_once('@') {
            Some((repository, id)) => (Some(repository), id),
            None => (None, text),
        };
        let Some(commit) = CommitId::parse(id) else {
            return desk.reference(text).map(Self::Pull);
        };
        let repository = match (repository, &desk.here) {
            (Some(given), _) => Repository::parse(given).map_err(ToolError::bad_reference)?,
            (None, Some(here)) => here.clone(),
            (None, None) => return desk.reference(text).map(Self::Pull),
        };
        Ok(Self::Commit { repository, commit })
    }

    pub(super) fn repository(&self) -> &Repository {
        match self {
            Self::Pull(reference) => reference.repository(),
            Self::Commit { repository, .. } => repository,
        }
    }
}

/// The normal form.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pull(reference) => reference.fmt(f),
            Self::Commit { repository, commit } => write!(f, "{repository}@{commit}"),
        }
    }
}
