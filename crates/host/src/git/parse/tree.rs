//! Parses `git ls-tree`.

use std::path::PathBuf;

use super::{nul_fields, oid, path, text};
use crate::git::Oid;

/// Something in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    pub mode: String,
    /// `blob`, `tree` or `commit` (a submodule).
    pub kind: String,
    pub id: Oid,
    pub path: PathBuf,
}

/// Reads `git ls-tree -z`.
pub fn tree(bytes: &[u8]) -> Vec<TreeEntry> {
    nul_fields(bytes).filter_map(entry).collect()
}

fn entry(field: &[u8]) -> Option<TreeEntry> {
    let tab = field.iter().position(|&byte| byte == b'\t')?;
    let mut words = field[..tab].split(|&byte| byte == b' ');
    Some(TreeEntry {
        mode: text(words.next()?),
        kind: text(words.next()?),
        id: oid(words.next()?)?,
        path: path(&field[tab + 1..]),
    })
}
