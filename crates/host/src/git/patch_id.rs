//! Computes patch ids.

use super::call::Call;
use super::names::check_revision;
use super::{Git, GitError, LogRange, Oid, PatchId, parse};

impl Git {
    /// The patch id of each commit of a range, merges left out. Commits with
    /// the same id make the same change, wherever they are in history.
    pub async fn patch_ids(&self, range: LogRange<'_>) -> Result<Vec<PatchId>, GitError> {
        let doing = format!("compute the patch ids of {}", range.to);
        let mut list = Call::read(&doing)
            .args(["rev-list", "--no-merges", "--end-of-options"])
            .arg(check_revision(range.to)?);
        if let Some(from) = range.from {
            list = list.arg(format!("^{}", check_revision(from)?));
        }
        let commits = self.call(list.arg("--")).await?.success()?;
        let diff = diff_tree(&doing)
            .args(["--root", "--stdin"])
            .stdin(commits.stdout);
        let diff = self.call(diff).await?.success()?;
        self.patch_id(doing, diff.stdout).await
    }

    /// The patch id of one commit; absent where it changes nothing.
    pub async fn patch_id_of_commit(&self, commit: &str) -> Result<Option<Oid>, GitError> {
        let commit = self.commit(commit).await?;
        let doing = format!("compute the patch id of {commit}");
        let diff = diff_tree(&doing).args(["--root", commit.as_str()]);
        let diff = self.call(diff).await?.success()?;
        self.first_patch_id(doing, diff.stdout).await
    }

    /// The patch id of the difference between two commits as a whole, as a
    /// squashed merge would have it; absent where there is none.
    pub async fn patch_id_between(&self, from: &str, to: &str) -> Result<Option<Oid>, GitError> {
        let doing = format!("compute the patch id from {from} to {to}");
        let diff = diff_tree(&doing)
            .args(["--end-of-options", check_revision(from)?])
            .arg(check_revision(to)?);
        let diff = self.call(diff).await?.success()?;
        self.first_patch_id(doing, diff.stdout).await
    }

    async fn first_patch_id(&self, doing: String, diff: Vec<u8>) -> Result<Option<Oid>, GitError> {
        let ids = self.patch_id(doing, diff).await?;
        Ok(ids.into_iter().next().map(|id| id.patch))
    }

    async fn patch_id(&self, doing: String, diff: Vec<u8>) -> Result<Vec<PatchId>, GitError> {
        let call = Call::read(doing).args(["patch-id", "--stable"]).stdin(diff);
        let reply = self.call(call).await?.success()?;
        Ok(parse::patch_ids(&reply.stdout))
    }
}

fn diff_tree(doing: &str) -> Call {
    Call::read(doing)
        .args(["diff-tree", "-r", "--patch", "--full-index", "--binary"])
        .args(["--no-ext-diff", "--no-textconv", "--no-color"])
}
