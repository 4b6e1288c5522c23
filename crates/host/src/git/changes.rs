//! Lists the files that differ between two commits.

use super::call::Call;
use super::names::check_revision;
use super::{ChangedFile, Git, GitError, parse};

impl Git {
    /// The files that differ between two commits or trees, with renames
    /// recognised.
    pub async fn changed_files(&self, from: &str, to: &str) -> Result<Vec<ChangedFile>, GitError> {
        // `diff-tree` ignores the user's diff settings.
        let call = Call::read(format!(
            "list the files that differ between {from} and {to}"
        ))
        .args(["diff-tree", "-r", "-z", "--name-status", "--find-renames"])
        .args(["--no-commit-id", "--end-of-options"])
        .args([check_revision(from)?, check_revision(to)?]);
        let reply = self.call(call).await?.success()?;
        Ok(parse::changed_files(&reply.stdout))
    }
}
