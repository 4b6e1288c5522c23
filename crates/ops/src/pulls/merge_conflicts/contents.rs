//! The content of all versions at once: two calls of git, however many files
//! are in conflict.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use baton_host::git::{Call, Git, GitError};

use super::conflict::Conflict;

/// In bytes. What is larger is not read by people, and not shown.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// In bytes, for all of them together.
const MAX_TOTAL_BYTES: u64 = 32 << 20;

const DOING: &str = "read the files in conflict";

/// By what git calls them: an id, or `tree:path`.
#[derive(Debug, Default)]
pub(super) struct Contents(BTreeMap<OsString, Content>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Text(Vec<u8>),
    TooLarge { bytes: u64 },
}

impl Contents {
    pub(super) async fn read(git: &Git, conflicts: &[Conflict]) -> Result<Self, GitError> {
        let mut names: Vec<OsString> = conflicts
            .iter()
            .flat_map(|conflict| {
                let versions = conflict.versions.iter().flatten();
                let versions = versions.map(|id| OsString::from(id.as_str()));
                versions.chain([merged_name(conflict)])
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            return Ok(Self::default());
        }
        let sizes = ask(git, "--batch-check", &names).await?;
        let mut found = BTreeMap::new();
        let mut wanted = Vec::new();
        let mut total = 0;
        for (name, header, _) in answers(&names, &sizes, false) {
            match header {
                Some(bytes) if bytes <= MAX_FILE_BYTES && total + bytes <= MAX_TOTAL_BYTES => {
                    total += bytes;
                    wanted.push(name.clone());
                }
                Some(bytes) => drop(found.insert(name.clone(), Content::TooLarge { bytes })),
                None => {}
            }
        }
        if !wanted.is_empty() {
            let bodies = ask(git, "--batch", &wanted).await?;
            for (name, _, body) in answers(&wanted, &bodies, true) {
                found.insert(name.clone(), Content::Text(body.to_vec()));
            }
        }
        Ok(Self(found))
    }

    /// Absent where there is no such file, and for a submodule's commit, which
    /// is no content of this repository.
    pub(super) fn version(&self, id: &str) -> Option<&Content> {
        self.0.get(&OsString::from(id))
    }

    /// The file with markers.
    pub(super) fn merged(&self, conflict: &Conflict) -> Option<&Content> {
        self.0.get(&merged_name(conflict))
    }
}

fn merged_name(conflict: &Conflict) -> OsString {
    let mut name = OsString::from(conflict.tree.as_str());
    name.push(":");
    name.push(&conflict.path);
    name
}

async fn ask(git: &Git, how: &str, names: &[OsString]) -> Result<Vec<u8>, GitError> {
    let mut input = Vec::new();
    for name in names {
        input.extend(name.as_bytes());
        input.push(0);
    }
    let call = Call::read(DOING).args(["cat-file", how, "-z"]).stdin(input);
    Ok(git.call(call).await?.success()?.stdout)
}

/// For each name that is a file: its size, and with bodies what is in it.
fn answers<'a>(
    names: &'a [OsString],
    mut rest: &'a [u8],
    with_bodies: bool,
) -> Vec<(&'a OsString, Option<u64>, &'a [u8])> {
    let mut list = Vec::new();
    for name in names {
        // The name is repeated, whatever is in it.
        let mut missing = name.clone().into_vec();
        missing.extend(b" missing\n");
        if let Some(after) = rest.strip_prefix(missing.as_slice()) {
            rest = after;
            continue;
        }
        let Some(end) = rest.iter().position(|&byte| byte == b'\n') else {
            break;
        };
        let header = String::from_utf8_lossy(&rest[..end]);
        rest = &rest[end + 1..];
        let mut words = header.split(' ').skip(1);
        let (kind, size) = (
            words.next(),
            words.next().and_then(|size| size.parse().ok()),
        );
        let Some(size) = size else { continue };
        let mut body: &[u8] = &[];
        if with_bodies {
            let length = usize::try_from(size).unwrap_or(usize::MAX).min(rest.len());
            body = &rest[..length];
            rest = rest.get(length + 1..).unwrap_or_default();
        }
        let is_file = kind == Some("blob");
        list.push((name, is_file.then_some(size), body));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_apart_by_their_sizes() {
        let names = ["a:x\ny", "b", "c", "d"].map(OsString::from);
        let bytes = b"a:x\ny missing\n1 blob 4\na\nb\n\n2 commit 1\nx\n3 blob 0\n\n";
        let found: Vec<_> = answers(&names, bytes, true)
            .into_iter()
            .map(|(name, size, body)| (name.to_str().unwrap(), size, body))
            .collect();
        assert_eq!(
            found,
            [
                ("b", Some(4), &b"a\nb\n"[..]),
                ("c", None, b"x"),
                ("d", Some(0), b"")
            ]
        );
        assert!(answers(&names, b"cut", true).is_empty());
    }
}
