//! Why a commit of the upper branch is one of the lower pull request's.

use baton_host::git::LogEntry;

use super::landing::commits;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sameness {
    Id,
    Patch,
    /// An amended or rebased commit keeps author, date and subject.
    Signature,
    /// The lower one had it before a push by force.
    FormerId,
    /// It is a copy of one that the lower one had before a push by force.
    FormerPatch,
}

impl Sameness {
    /// The lower one no longer has it.
    pub(super) fn is_former(self) -> bool {
        match self {
            Self::Id | Self::Patch | Self::Signature => false,
            Self::FormerId | Self::FormerPatch => true,
        }
    }
}

pub(super) fn has_signature(commit: &LogEntry, others: &[LogEntry]) -> bool {
    let mut others = others.iter();
    others.any(|other| other.author == commit.author && other.subject() == commit.subject())
}

/// `it begins with 2 commits of the one below (2 by id)`.
pub(super) fn counted(same: &[Sameness]) -> String {
    let count = |kind| same.iter().filter(|one| **one == kind).count();
    let parts: Vec<String> = [
        (Sameness::Id, "by id"),
        (Sameness::Patch, "by patch id"),
        (Sameness::Signature, "by author, date and subject"),
        (Sameness::FormerId, "by id in what it had before"),
        (Sameness::FormerPatch, "by patch id in what it had before"),
    ]
    .into_iter()
    .filter_map(|(kind, words)| match count(kind) {
        0 => None,
        count => Some(format!("{count} {words}")),
    })
    .collect();
    format!(
        "it begins with {} of the one below ({})",
        commits(same.len()),
        parts.join(", ")
    )
}
