//! Compares two versions of a series of commits.

use super::call::Call;
use super::names::check_revision;
use super::{CommitPair, Git, GitError, parse};

impl Git {
    /// Compares two versions of a series of commits: which are the same, which
    /// changed, which are only in one of them.
    pub async fn range_diff(
        &self,
        (old_base, old_tip): (&str, &str),
        (new_base, new_tip): (&str, &str),
    ) -> Result<Vec<CommitPair>, GitError> {
        let range = |base, tip| -> Result<String, GitError> {
            Ok(format!(
                "{}..{}",
                check_revision(base)?,
                check_revision(tip)?
            ))
        };
        let call = Call::read(format!("compare the commits of {old_tip} and {new_tip}"))
            // Full ids: `--abbrev` alone would give as many digits as are unique.
            .args(["-c", "core.abbrev=no"])
            .args(["range-diff", "--no-color", "--no-patch", "--no-notes"])
            .arg(range(old_base, old_tip)?)
            .arg(range(new_base, new_tip)?);
        let reply = self.call(call).await?.success()?;
        Ok(parse::range_diff(&reply.stdout))
    }
}
