use super::call::Call;
use super::names::check_remote;
use super::{Git, GitError};

impl Git {
    /// Fetches the given refspecs, or what the remote is configured for.
    pub async fn fetch(&self, remote: &str, refspecs: &[&str]) -> Result<(), GitError> {
        for refspec in refspecs {
            // `+` only ever overwrites our copy of the remote's branches.
            check_remote(refspec)?;
        }
        let call = Call::network("fetch")
            .args(["fetch", "--quiet", "--no-progress", "--end-of-options"])
            .arg(check_remote(remote)?)
            .args(refspecs);
        let reply = self.call(call).await?;
        if reply.code == 0 {
            Ok(())
        } else {
            Err(reply.remote_failed(remote))
        }
    }
}
