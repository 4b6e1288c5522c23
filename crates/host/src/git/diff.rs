//! Reads the difference between two commits, line by line.

use super::call::Call;
use super::names::check_revision;
use super::{FileDiff, Git, GitError, parse};

impl Git {
    /// What differs between two commits or trees, line by line, with renames
    /// recognised and `context` unchanged lines around each change.
    pub async fn diff(
        &self,
        from: &str,
        to: &str,
        context: u32,
    ) -> Result<Vec<FileDiff>, GitError> {
        // `diff-tree` ignores the user's diff settings.
        let call = Call::read(format!("compare {from} and {to}"))
            .args(["diff-tree", "-r", "-z", "--raw", "--patch", "--full-index"])
            .args([
                "--find-renames",
                "--no-ext-diff",
                "--no-textconv",
                "--no-color",
            ])
            .arg(format!("--unified={context}"))
            .args(["--no-commit-id", "--end-of-options"])
            .args([check_revision(from)?, check_revision(to)?]);
        let reply = self.call(call).await?.success()?;
        Ok(parse::diff(&reply.stdout))
    }
}
