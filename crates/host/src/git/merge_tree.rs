//! Merges commits without touching the working tree.

use super::call::Call;
use super::names::check_revision;
use super::{ConflictedFile, Git, GitError, MergeMessage, Oid, parse};

/// What a merge would give, without making it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeTree {
    pub clean: bool,
    /// The merged content; with conflicts, files have markers in them.
    pub tree: Oid,
    /// An entry per version of each file in conflict.
    pub conflicts: Vec<ConflictedFile>,
    /// git's messages about files, in conflict or not.
    pub messages: Vec<MergeMessage>,
}

impl Git {
    /// Merges two commits in the object store only: neither the working tree,
    /// nor the index, nor any branch is touched.
    pub async fn merge_tree(&self, ours: &str, theirs: &str) -> Result<MergeTree, GitError> {
        self.try_merge(None, ours, theirs).await
    }

    /// The same, as if `base` were the last commit that both have: what
    /// `theirs` changed since then is done to `ours`.
    pub async fn merge_tree_from(
        &self,
        base: &str,
        ours: &str,
        theirs: &str,
    ) -> Result<MergeTree, GitError> {
        self.try_merge(Some(base), ours, theirs).await
    }

    async fn try_merge(
        &self,
        base: Option<&str>,
        ours: &str,
        theirs: &str,
    ) -> Result<MergeTree, GitError> {
        let mut call = Call::read(format!("try the merge of {theirs} into {ours}")).args([
            "merge-tree",
            "--write-tree",
            "-z",
            "--messages",
        ]);
        if let Some(base) = base {
            call = call.arg(format!("--merge-base={}", check_revision(base)?));
        }
        let call = call
            .args(["--end-of-options", check_revision(ours)?])
            .arg(check_revision(theirs)?);
        let reply = self.call(call).await?;
        let clean = match reply.code {
            0 => true,
            1 => false,
            _ => return Err(reply.failed()),
        };
        let Some(answer) = parse::merge_tree(&reply.stdout) else {
            // A failure before the merge began has the code of a conflict too.
            return Err(if reply.stdout.is_empty() {
                reply.failed()
            } else {
                reply.unreadable()
            });
        };
        Ok(MergeTree {
            clean,
            tree: answer.tree,
            conflicts: answer.conflicts,
            messages: answer.messages,
        })
    }
}
