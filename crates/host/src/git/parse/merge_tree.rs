//! Parses `git merge-tree`.

use std::path::PathBuf;

use super::{nul_fields, oid, path, text};
use crate::git::Oid;

/// What `merge-tree` printed. Whether the merge is clean is in its exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeAnswer {
    pub tree: Oid,
    pub conflicts: Vec<ConflictedFile>,
    pub messages: Vec<MergeMessage>,
}

/// One version of a file in conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictedFile {
    /// In octal as git writes it, such as `100644`.
    pub mode: String,
    pub object: Oid,
    /// 1 is the common ancestor's version, 2 ours, 3 theirs.
    pub stage: u8,
    pub path: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeMessage {
    pub paths: Vec<PathBuf>,
    pub kind: MergeMessageKind,
    /// git's own words for the kind, such as `CONFLICT (modify/delete)`.
    pub words: String,
    /// For people.
    pub text: String,
}

/// What a message is about. git's words for the kinds are stable, those of the
/// text are not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeMessageKind {
    AutoMerging,
    Contents,
    Binary,
    FileDirectory,
    DistinctModes,
    ModifyDelete,
    RenameRename,
    RenameDelete,
    RenameCollides,
    DirectoryRename,
    Submodule,
    /// A kind that this program does not know, in git's words.
    Other(String),
}

impl MergeMessageKind {
    fn from_words(words: &str) -> Self {
        match words {
            "Auto-merging" => Self::AutoMerging,
            "CONFLICT (contents)" => Self::Contents,
            "CONFLICT (binary)" => Self::Binary,
            "CONFLICT (file/directory)" => Self::FileDirectory,
            "CONFLICT (distinct modes)" => Self::DistinctModes,
            "CONFLICT (modify/delete)" => Self::ModifyDelete,
            "CONFLICT (rename/rename)" => Self::RenameRename,
            "CONFLICT (rename/delete)" => Self::RenameDelete,
            "CONFLICT (rename involved in collision)" => Self::RenameCollides,
            // Some of these have no space in git.
            "CONFLICT (directory rename suggested)"
            | "CONFLICT (directory rename file location)"
            | "CONFLICT (file in way of directory rename)"
            | "CONFLICT(directory rename collision)"
            | "CONFLICT(directory rename unclear split)" => Self::DirectoryRename,
            "CONFLICT (submodule)" => Self::Submodule,
            other if other.starts_with("CONFLICT (submodule") => Self::Submodule,
            _ => Self::Other(words.to_owned()),
        }
    }

    pub fn is_conflict(&self) -> bool {
        match self {
            Self::AutoMerging => false,
            Self::Contents
            | Self::Binary
            | Self::FileDirectory
            | Self::DistinctModes
            | Self::ModifyDelete
            | Self::RenameRename
            | Self::RenameDelete
            | Self::RenameCollides
            | Self::DirectoryRename
            | Self::Submodule => true,
            Self::Other(words) => words.starts_with("CONFLICT"),
        }
    }
}

/// Reads `git merge-tree --write-tree -z --messages`: the tree, the files in
/// conflict, an empty field, the messages.
pub fn merge_tree(bytes: &[u8]) -> Option<MergeAnswer> {
    let mut fields = nul_fields(bytes);
    let tree = oid(fields.next()?)?;
    let conflicts = fields
        .by_ref()
        .take_while(|field| !field.is_empty())
        .map(conflicted_file)
        .collect::<Option<_>>()?;
    let mut messages = Vec::new();
    while let Some(count) = fields.next() {
        messages.push(message(count, &mut fields)?);
    }
    Some(MergeAnswer {
        tree,
        conflicts,
        messages,
    })
}

/// `<mode> <object> <stage>\t<path>`
fn conflicted_file(field: &[u8]) -> Option<ConflictedFile> {
    let tab = field.iter().position(|&byte| byte == b'\t')?;
    let mut words = field[..tab].split(|&byte| byte == b' ');
    let file = ConflictedFile {
        mode: text(words.next()?),
        object: oid(words.next()?)?,
        stage: match words.next()? {
            b"1" => 1,
            b"2" => 2,
            b"3" => 3,
            _ => return None,
        },
        path: path(&field[tab + 1..]),
    };
    words.next().is_none().then_some(file)
}

/// The number of paths, the paths, the kind, the text.
fn message<'a>(count: &[u8], fields: &mut impl Iterator<Item = &'a [u8]>) -> Option<MergeMessage> {
    let count: usize = str::from_utf8(count).ok()?.parse().ok()?;
    let paths: Vec<_> = fields.by_ref().take(count).map(path).collect();
    let words = text(fields.next()?);
    let message = MergeMessage {
        paths,
        kind: MergeMessageKind::from_words(&words),
        words,
        text: text(fields.next()?).trim_end().to_owned(),
    };
    (message.paths.len() == count).then_some(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_answer_is_none() {
        let tree = "0123456789abcdef0123456789abcdef01234567";
        let whole = format!("{tree}\0100644 {tree} 2\ta\0\x001\0a\0CONFLICT (contents)\0text\n\0");
        let answer = merge_tree(whole.as_bytes()).unwrap();
        assert_eq!(answer.conflicts.len(), 1);
        assert_eq!(answer.messages[0].text, "text");
        let cut = &whole.as_bytes()[..whole.len() - 3];
        assert_eq!(merge_tree(cut), None);
    }

    #[test]
    fn an_absurd_count_is_no_message() {
        let tree = "0123456789abcdef0123456789abcdef01234567";
        let text = format!("{tree}\0\x0018446744073709551615\0a\0b\0");
        assert_eq!(merge_tree(text.as_bytes()), None);
    }
}
