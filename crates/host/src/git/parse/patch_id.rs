//! Parses `git patch-id`.

use super::{lines, oid};
use crate::git::Oid;

/// The id of a change, and the commit that makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchId {
    pub patch: Oid,
    /// Absent where the change is a difference between two trees.
    pub commit: Option<Oid>,
}

/// Reads `git patch-id`.
pub fn patch_ids(bytes: &[u8]) -> Vec<PatchId> {
    let entry = |line: &[u8]| {
        let space = line.iter().position(|&byte| byte == b' ')?;
        Some(PatchId {
            patch: oid(&line[..space])?,
            commit: Some(oid(&line[space + 1..])?).filter(|commit| !commit.is_zero()),
        })
    };
    lines(bytes).filter_map(entry).collect()
}
