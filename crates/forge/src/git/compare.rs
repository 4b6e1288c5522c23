//! How two commits are related.

use baton_host::git::{Call, GitError, Oid};

use super::GitRepository;

/// How far two commits are from their last common one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Distance {
    /// Commits that only the head has.
    pub(crate) ahead: usize,
    /// Commits that only the base has.
    pub(crate) behind: usize,
}

impl GitRepository {
    pub(crate) async fn distance(&self, base: &Oid, head: &Oid) -> Result<Distance, GitError> {
        let call = Call::read("count commits")
            .args(["rev-list", "--left-right", "--count"])
            .arg(format!("{base}...{head}"));
        let reply = self.call(call).await?.success()?;
        let line = reply.line();
        let mut counts = line.split_whitespace().map(str::parse);
        match (counts.next(), counts.next()) {
            (Some(Ok(behind)), Some(Ok(ahead))) => Ok(Distance { ahead, behind }),
            _ => Err(reply.unreadable()),
        }
    }

    /// The best common ancestor; absent where the histories have none.
    pub(crate) async fn merge_base(&self, one: &Oid, other: &Oid) -> Result<Option<Oid>, GitError> {
        let call =
            Call::read("find a merge base").args(["merge-base", one.as_str(), other.as_str()]);
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
    pub(crate) async fn is_ancestor(
        &self,
        ancestor: &Oid,
        descendant: &Oid,
    ) -> Result<bool, GitError> {
        let call = Call::read("compare two histories").args([
            "merge-base",
            "--is-ancestor",
            ancestor.as_str(),
            descendant.as_str(),
        ]);
        self.call(call).await?.yes_or_no()
    }
}
