//! Checks that git is recent enough.

use super::call::{Call, Subject};
use super::{Git, GitError, Version, parse};

/// The first version whose `merge-tree --write-tree` reports conflicts.
const MINIMUM: Version = Version {
    major: 2,
    minor: 38,
    patch: 0,
};

impl Git {
    pub(super) async fn supported_version(&self) -> Result<Version, GitError> {
        let call = Call::read("ask git for its version")
            .about(Subject::Nothing)
            .arg("version");
        let reply = self.call(call).await?.success()?;
        let Some(found) = parse::version(&reply.stdout) else {
            return Err(reply.unreadable());
        };
        if found < MINIMUM {
            return Err(GitError::TooOld {
                found,
                minimum: MINIMUM,
            });
        }
        Ok(found)
    }
}
