//! Resolves revisions to commits and trees.

use super::call::Call;
use super::names::check_revision;
use super::{Git, GitError, Oid};

impl Git {
    /// The commit that a revision names.
    pub async fn commit(&self, revision: &str) -> Result<Oid, GitError> {
        self.find_commit(revision)
            .await?
            .ok_or_else(|| GitError::NoSuch {
                what: "commit",
                name: revision.to_owned(),
            })
    }

    /// The commit that a revision names, if there is one.
    pub async fn find_commit(&self, revision: &str) -> Result<Option<Oid>, GitError> {
        self.find_object(revision, "commit").await
    }

    /// The tree of a commit: the same for the same content, whatever the
    /// history.
    pub async fn tree(&self, revision: &str) -> Result<Oid, GitError> {
        self.find_object(revision, "tree")
            .await?
            .ok_or_else(|| GitError::NoSuch {
                what: "tree",
                name: revision.to_owned(),
            })
    }

    /// The best common ancestor; absent where the histories have none.
    pub async fn merge_base(&self, one: &str, other: &str) -> Result<Option<Oid>, GitError> {
        let call = Call::read(format!("find the merge base of {one} and {other}"))
            .args(["merge-base", "--end-of-options"])
            .args([check_revision(one)?, check_revision(other)?]);
        let reply = self.call(call).await?;
        match reply.code {
            0 => match Oid::parse(&reply.line()) {
                Some(oid) => Ok(Some(oid)),
                None => Err(reply.unreadable()),
            },
            1 => Ok(None),
            _ => Err(reply.failed()),
        }
    }

    /// Whether `descendant` contains `ancestor`. A commit contains itself.
    pub async fn is_ancestor(&self, ancestor: &str, descendant: &str) -> Result<bool, GitError> {
        let call = Call::read(format!("see whether {descendant} contains {ancestor}"))
            .args(["merge-base", "--is-ancestor", "--end-of-options"])
            .args([check_revision(ancestor)?, check_revision(descendant)?]);
        self.call(call).await?.yes_or_no()
    }

    async fn find_object(&self, revision: &str, kind: &str) -> Result<Option<Oid>, GitError> {
        let revision = check_revision(revision)?;
        let call = Call::read(format!("find the {kind} {revision}"))
            .args(["rev-parse", "--verify", "--quiet", "--end-of-options"])
            .arg(format!("{revision}^{{{kind}}}"));
        let reply = self.call(call).await?;
        match (reply.code, Oid::parse(&reply.line())) {
            (0, Some(oid)) => Ok(Some(oid)),
            (0, None) => Err(reply.unreadable()),
            (1, _) => Ok(None),
            _ => Err(reply.failed()),
        }
    }
}
