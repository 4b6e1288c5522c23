//! Parses `git diff-tree --name-status`.

use std::path::PathBuf;

use baton_protocol::diff::ChangeKind;

use super::{nul_fields, path};

/// A file that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    pub kind: ChangeKind,
    /// Its path afterwards; before, where it was deleted.
    pub path: PathBuf,
}

/// Reads `git diff-tree -z --name-status`.
pub fn changed_files(bytes: &[u8]) -> Vec<ChangedFile> {
    let mut fields = nul_fields(bytes);
    let mut files = Vec::new();
    while let Some(status) = fields.next() {
        let Some(file) = changed_file(status, &mut fields) else {
            break;
        };
        files.push(file);
    }
    files
}

pub(super) fn changed_file<'a>(
    status: &[u8],
    fields: &mut impl Iterator<Item = &'a [u8]>,
) -> Option<ChangedFile> {
    let status = str::from_utf8(status).ok()?;
    let similarity = status.get(1..).and_then(|score| score.parse().ok());
    let first = path(fields.next()?);
    let kind = match (status.as_bytes().first()?, similarity) {
        (b'A', _) => ChangeKind::Added,
        (b'D', _) => ChangeKind::Deleted,
        (b'M', _) => ChangeKind::Modified,
        (b'T', _) => ChangeKind::TypeChanged,
        (b'R', Some(similarity)) => {
            return Some(ChangedFile {
                kind: ChangeKind::Renamed {
                    from: first,
                    similarity,
                },
                path: path(fields.next()?),
            });
        }
        (b'C', Some(similarity)) => {
            return Some(ChangedFile {
                kind: ChangeKind::Copied {
                    from: first,
                    similarity,
                },
                path: path(fields.next()?),
            });
        }
        _ => ChangeKind::Other(status.to_owned()),
    };
    Some(ChangedFile { kind, path: first })
}
