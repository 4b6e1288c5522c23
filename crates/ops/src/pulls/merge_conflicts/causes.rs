//! Who changed the files in conflict on the target branch, for all of them in
//! one call of git.

use std::path::{Path, PathBuf};

use std::os::unix::ffi::OsStrExt as _;

use baton_host::git::{Call, Git, GitError};
use baton_protocol::tools::detect_merge_conflicts::{ConflictCause, MergeTarget};

use super::conflict::{self, Conflict};

/// The latest are enough to ask.
const MAX_CAUSES: usize = 3;
/// Commits that are looked at for all files together.
const MAX_COMMITS: usize = 500;
const MAX_SUBJECT_LEN: usize = 200;

/// A commit of the target branch and the files in conflict that it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    commit: String,
    author: String,
    subject: String,
    paths: Vec<PathBuf>,
}

/// The newest first.
pub(super) async fn changes(
    git: &Git,
    target: &MergeTarget,
    conflicts: &[Conflict],
) -> Result<Vec<Change>, GitError> {
    let mut paths: Vec<&PathBuf> = conflicts
        .iter()
        .flat_map(|conflict| &conflict.paths)
        .collect();
    paths.sort_unstable();
    paths.dedup();
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let call = Call::read("see who changed the files in conflict")
        .args(["--literal-pathspecs", "log", "-z", "--no-color"])
        .args(["--no-show-signature", "--encoding=UTF-8", "--no-renames"])
        .args(["--name-only", "--format=tformat:%x01%H%x02%an%x02%s"])
        .arg(format!("--max-count={MAX_COMMITS}"))
        .args(["--end-of-options", target.commit.as_str()])
        .arg(format!("^{}", target.head))
        .arg("--")
        .args(paths);
    let reply = git.call(call).await?.success()?;
    Ok(parse(&reply.stdout))
}

/// Those that changed one of a conflict's files.
pub(super) fn for_conflict(changes: &[Change], conflict: &Conflict) -> Vec<ConflictCause> {
    let touches = |change: &&Change| change.paths.iter().any(|path| is_at(path, &conflict.paths));
    let touching = changes.iter().filter(touches).take(MAX_CAUSES);
    touching
        .map(|change| ConflictCause {
            commit: change.commit.clone(),
            subject: change.subject.clone(),
            author: change.author.clone(),
            pr: conflict::pull_request_in(&change.subject),
        })
        .collect()
}

/// A name may also be that of a folder that is in the way.
fn is_at(path: &Path, names: &[PathBuf]) -> bool {
    names.iter().any(|name| path.starts_with(name))
}

/// Commits begin with a byte that git puts into no name; their files follow,
/// each ended by NUL.
fn parse(bytes: &[u8]) -> Vec<Change> {
    let entries = bytes
        .split(|&byte| byte == 1)
        .filter(|entry| !entry.is_empty());
    entries.filter_map(entry).collect()
}

fn entry(bytes: &[u8]) -> Option<Change> {
    let mut fields = bytes.split(|&byte| byte == 0);
    let head = String::from_utf8_lossy(fields.next()?);
    let mut parts = head.splitn(3, '\u{2}');
    let (commit, author, subject) = (parts.next()?, parts.next()?, parts.next()?);
    let path = |field: &[u8]| {
        let field = field.strip_prefix(b"\n").unwrap_or(field);
        PathBuf::from(std::ffi::OsStr::from_bytes(field))
    };
    Some(Change {
        commit: commit.to_owned(),
        author: author.to_owned(),
        subject: subject.chars().take(MAX_SUBJECT_LEN).collect(),
        paths: fields
            .filter(|field| !field.is_empty() && *field != b"\n")
            .map(path)
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_read_with_their_files() {
        let bytes =
            b"\x01aa\x02Octo\x02Fix (#3)\0\na.txt\0b.txt\0\0\x01bb\x02Octo\x02Begin\0\nb.txt\0";
        let changes = parse(bytes);
        let paths: Vec<_> = changes.iter().map(|change| change.paths.len()).collect();
        assert_eq!(paths, [2, 1]);
        assert_eq!(changes[1].subject, "Begin");
        assert_eq!(changes[0].paths[0], Path::new("a.txt"));
        assert!(parse(b"").is_empty());
    }
}
