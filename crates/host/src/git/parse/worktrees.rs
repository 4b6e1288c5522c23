//! Parses `git worktree list`.

use std::path::PathBuf;

use super::{oid, path, text};
use crate::git::Oid;

/// A worktree of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    pub path: PathBuf,
    pub head: WorktreeHead,
    /// Why it must not be removed, where it is locked. The reason may be empty.
    pub locked: Option<String>,
    /// Why it could be forgotten, such as that its folder is gone.
    pub prunable: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorktreeHead {
    /// The repository is bare: nothing can be checked out here.
    Bare,
    /// The name is without `refs/heads/`.
    Branch {
        name: String,
        commit: Oid,
    },
    /// A branch that will exist with its first commit.
    Unborn {
        name: String,
    },
    Detached {
        commit: Oid,
    },
}

/// Reads `git worktree list --porcelain -z`: attributes, each ended by NUL, and
/// an empty one after each worktree.
pub fn worktrees(bytes: &[u8]) -> Vec<Worktree> {
    let attributes: Vec<_> = bytes.split(|&byte| byte == 0).collect();
    attributes
        .split(|attribute| attribute.is_empty())
        .filter_map(worktree)
        .collect()
}

fn worktree(attributes: &[&[u8]]) -> Option<Worktree> {
    let value = |name: &str| {
        attributes.iter().find_map(|attribute| {
            let rest = attribute.strip_prefix(name.as_bytes())?;
            match rest {
                [] => Some(rest),
                [b' ', value @ ..] => Some(value),
                _ => None,
            }
        })
    };
    // The first commit of a branch that is not born has the id zero.
    let commit = value("HEAD")
        .and_then(oid)
        .filter(|commit| !commit.is_zero());
    let branch =
        value("branch").map(|name| text(name.strip_prefix(b"refs/heads/").unwrap_or(name)));
    let head = match (branch, commit) {
        _ if value("bare").is_some() => WorktreeHead::Bare,
        (Some(name), Some(commit)) => WorktreeHead::Branch { name, commit },
        (Some(name), None) => WorktreeHead::Unborn { name },
        (None, Some(commit)) => WorktreeHead::Detached { commit },
        (None, None) => return None,
    };
    Some(Worktree {
        path: path(value("worktree").filter(|path| !path.is_empty())?),
        head,
        locked: value("locked").map(text),
        prunable: value("prunable").map(text),
    })
}
