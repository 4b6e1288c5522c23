//! Parses `git for-each-ref` for branches.

use super::{lines, oid, text};
use crate::git::Oid;

pub(in crate::git) const BRANCH_FORMAT: &str =
    "%(refname)%00%(objectname)%00%(HEAD)%00%(upstream)%00%(upstream:track,nobracket)";

pub(in crate::git) const REMOTE_BRANCH_FORMAT: &str = "%(refname)%00%(objectname)%00%(symref)";

/// A local branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Without `refs/heads/`.
    pub name: String,
    pub commit: Oid,
    /// It is checked out in this worktree.
    pub current: bool,
    pub upstream: Option<Upstream>,
}

/// The branch that a local branch follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// The full name, such as `refs/remotes/origin/main`.
    pub name: String,
    /// Absent where the upstream is configured and does not exist.
    pub ahead: Option<Ahead>,
}

/// How far two branches are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ahead {
    pub ahead: u64,
    pub behind: u64,
}

/// A branch of a remote, as it was when last fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteBranch {
    /// Without `refs/remotes/`, such as `origin/main`. It does not show where
    /// the remote's name ends: both names may have slashes.
    pub name: String,
    pub commit: Oid,
    /// The full name of the ref that this one points to, as `origin/HEAD` does.
    pub symref_target: Option<String>,
}

/// A ref that a remote itself has reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteRef {
    /// The full name.
    pub name: String,
    pub commit: Oid,
}

/// Reads `git for-each-ref refs/heads/`.
pub fn branches(bytes: &[u8]) -> Vec<Branch> {
    lines(bytes).filter_map(branch).collect()
}

/// Reads `git for-each-ref refs/remotes/`.
pub fn remote_branches(bytes: &[u8]) -> Vec<RemoteBranch> {
    let branch = |line: &[u8]| {
        let [name, commit, symref] = fields(line)?;
        Some(RemoteBranch {
            name: text(name.strip_prefix(b"refs/remotes/")?),
            commit: oid(commit)?,
            symref_target: (!symref.is_empty()).then(|| text(symref)),
        })
    };
    lines(bytes).filter_map(branch).collect()
}

/// Reads `git ls-remote`.
pub fn remote_refs(bytes: &[u8]) -> Vec<RemoteRef> {
    let entry = |line: &[u8]| {
        let tab = line.iter().position(|&byte| byte == b'\t')?;
        Some(RemoteRef {
            name: text(&line[tab + 1..]),
            commit: oid(&line[..tab])?,
        })
    };
    lines(bytes).filter_map(entry).collect()
}

fn branch(line: &[u8]) -> Option<Branch> {
    let [name, commit, head, upstream, track] = fields(line)?;
    let upstream = (!upstream.is_empty()).then(|| Upstream {
        name: text(upstream),
        ahead: ahead(track),
    });
    Some(Branch {
        name: text(name.strip_prefix(b"refs/heads/")?),
        commit: oid(commit)?,
        current: head == b"*",
        upstream,
    })
}

/// `ahead 1, behind 2`, either part alone, nothing where they are equal, or
/// `gone`.
fn ahead(track: &[u8]) -> Option<Ahead> {
    let mut apart = Ahead {
        ahead: 0,
        behind: 0,
    };
    let track = str::from_utf8(track).ok()?;
    for part in track.split(", ").filter(|part| !part.is_empty()) {
        match part.split_once(' ')? {
            ("ahead", count) => apart.ahead = count.parse().ok()?,
            ("behind", count) => apart.behind = count.parse().ok()?,
            _ => return None,
        }
    }
    Some(apart)
}

fn fields<const N: usize>(line: &[u8]) -> Option<[&[u8]; N]> {
    let fields: Vec<_> = line.split(|&byte| byte == 0).collect();
    fields.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_is_read() {
        let apart = |ahead, behind| Some(Ahead { ahead, behind });
        assert_eq!(ahead(b""), apart(0, 0));
        assert_eq!(ahead(b"ahead 3"), apart(3, 0));
        assert_eq!(ahead(b"behind 4"), apart(0, 4));
        assert_eq!(ahead(b"ahead 3, behind 4"), apart(3, 4));
        assert_eq!(ahead(b"gone"), None);
    }
}
