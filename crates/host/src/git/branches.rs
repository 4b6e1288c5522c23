//! Lists local and remote branches.

use super::call::Call;
use super::error::GitError;
use super::names::{branch_ref, check_remote};
use super::{Branch, Git, Oid, RemoteBranch, parse};

impl Git {
    /// The local branches, by name.
    pub async fn branches(&self) -> Result<Vec<Branch>, GitError> {
        let call = Call::read("list the branches")
            .args(["for-each-ref", "--format", parse::BRANCH_FORMAT])
            .arg("refs/heads/");
        let reply = self.call(call).await?.success()?;
        Ok(parse::branches(&reply.stdout))
    }

    /// The branches of remotes as they were when last fetched.
    pub async fn remote_branches(&self) -> Result<Vec<RemoteBranch>, GitError> {
        let call = Call::read("list the branches of remotes")
            .args(["for-each-ref", "--format", parse::REMOTE_BRANCH_FORMAT])
            .arg("refs/remotes/");
        let reply = self.call(call).await?.success()?;
        Ok(parse::remote_branches(&reply.stdout))
    }

    pub async fn branch_exists(&self, branch: &str) -> Result<bool, GitError> {
        let call = Call::read(format!("look for the branch {branch}"))
            .args(["show-ref", "--verify", "--quiet", "--"])
            .arg(branch_ref(branch)?);
        self.call(call).await?.yes_or_no()
    }

    /// Asks the remote itself. The commit its branch is at, or nothing where it
    /// has no such branch.
    pub async fn branch_on_remote(
        &self,
        remote: &str,
        branch: &str,
    ) -> Result<Option<Oid>, GitError> {
        let full = branch_ref(branch)?;
        let call = Call::network(format!("look for the branch {branch}"))
            .args(["ls-remote", "--exit-code", "--end-of-options"])
            .args([check_remote(remote)?, &full]);
        let reply = self.call(call).await?;
        match reply.code {
            // A pattern also matches the end of longer names.
            0 => Ok(parse::remote_refs(&reply.stdout)
                .into_iter()
                .find(|found| found.name == full)
                .map(|found| found.commit)),
            2 => Ok(None),
            _ => Err(reply.remote_failed(remote)),
        }
    }
}
