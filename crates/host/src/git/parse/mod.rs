//! Parses git's output.
//!
//! Every function takes bytes and never panics. A list is what was understood:
//! a record that is not in the documented form is left out, since it comes from
//! a git that knows more than we do. A single answer that is not understood is
//! `None`. The functions are public so that they can be fuzzed.

mod blame;
mod branches;
mod changes;
mod diff;
mod layout;
mod log;
mod merge_tree;
mod objects;
mod patch_id;
mod push;
mod range_diff;
mod remote_error;
mod remotes;
mod tree;
mod version;
mod worktrees;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::Oid;

pub use blame::{BlamedLines, blame};
pub use branches::{
    Ahead, Branch, RemoteBranch, RemoteRef, Upstream, branches, remote_branches, remote_refs,
};
pub(super) use branches::{BRANCH_FORMAT, REMOTE_BRANCH_FORMAT};
pub use changes::{ChangedFile, changed_files};
pub use diff::diff;
pub use layout::{Layout, layout};
pub(super) use log::{LOG_DATES, LOG_FORMAT};
pub use log::{LogEntry, Signature, identity, log};
pub use merge_tree::{ConflictedFile, MergeAnswer, MergeMessage, MergeMessageKind, merge_tree};
pub use objects::{blob_sizes, blobs};
pub use patch_id::{PatchId, patch_ids};
pub use push::{PushFlag, PushLine, is_unanswered, push, rejection, rejection_before_transfer};
pub use range_diff::{CommitPair, PairStatus, range_diff};
pub use remote_error::remote_error_kind;
pub use remotes::{Direction, RemoteLine, remote_config, remote_lines};
pub use tree::{TreeEntry, tree};
pub use version::{Version, version};
pub use worktrees::{Worktree, WorktreeHead, worktrees};

/// Fields that each end with NUL. What follows the last NUL was cut off.
fn nul_fields(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split_inclusive(|&byte| byte == 0)
        .filter_map(|field| field.strip_suffix(b"\0"))
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

fn oid(bytes: &[u8]) -> Option<Oid> {
    Oid::parse(str::from_utf8(bytes).ok()?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bytes with enough of git's own punctuation to get past the first check.
    fn gitlike() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            any::<Vec<u8>>(),
            prop::sample::select(vec![
                "0123456789abcdef0123456789abcdef01234567",
                "100644 ",
                " 2\t",
                "\0",
                "\0\0",
                "\n",
                "\t",
                "1",
                "18446744073709551616",
                "R100",
                "M",
                "worktree ",
                "HEAD ",
                "refs/heads/main",
                "CONFLICT (contents)",
                "1:  ",
                " = ",
                "!\t",
                "(fetch)",
                "remote.x.url\n",
                "true\n",
                "[ahead 1, behind 2]",
                "git version 2.",
                ":100644 100644 0123456789abcdef0123456789abcdef01234567 0123456789abcdef0123456789abcdef01234567 M\0a\0\0",
                "diff --git a/a b/a\n",
                "@@ -1,3 +1 @@ f\n",
                "author-time ",
                "100644 blob 0123456789abcdef0123456789abcdef01234567\ta\0",
            ])
            .prop_map(|text| text.as_bytes().to_vec()),
        ];
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in gitlike()) {
            blame(&bytes);
            branches(&bytes);
            remote_branches(&bytes);
            remote_refs(&bytes);
            changed_files(&bytes);
            diff(&bytes);
            layout(&bytes);
            log(&bytes);
            merge_tree(&bytes);
            patch_ids(&bytes);
            push(&bytes);
            range_diff(&bytes);
            remote_config(&bytes);
            remote_lines(&bytes);
            tree(&bytes);
            version(&bytes);
            worktrees(&bytes);
            let text = text(&bytes);
            remote_error_kind(&text);
            rejection(&text, &text);
            rejection_before_transfer(&text);
        }
    }
}
