//! Writing commits and reading blobs.

use baton_host::git::{Call, GitError, Oid, Reply};

use super::{GitRepository, Person};

/// A commit to be made from a tree that exists.
#[derive(Debug, Clone)]
pub(crate) struct NewCommit<'a> {
    pub(crate) tree: &'a Oid,
    pub(crate) parents: &'a [Oid],
    pub(crate) author: &'a Person,
    pub(crate) committer: &'a Person,
    pub(crate) message: &'a str,
}

impl GitRepository {
    pub(crate) async fn blob(&self, oid: &Oid) -> Result<Option<Vec<u8>>, GitError> {
        let call = Call::read("read a file").args(["cat-file", "blob", oid.as_str()]);
        let reply = self.call(call).await?;
        Ok((reply.code == 0).then_some(reply.stdout))
    }

    /// `commit`, `tree`, `blob` or `tag`; absent where there is no such object.
    pub(crate) async fn kind(&self, oid: &Oid) -> Result<Option<String>, GitError> {
        let call = Call::read("look at an object").args(["cat-file", "-t", oid.as_str()]);
        let reply = self.call(call).await?;
        Ok((reply.code == 0).then(|| reply.line()))
    }

    pub(crate) async fn has(&self, oid: &Oid) -> Result<bool, GitError> {
        Ok(self.kind(oid).await?.is_some())
    }

    /// The tree that a root commit is compared with.
    pub(crate) async fn empty_tree(&self) -> Result<Oid, GitError> {
        oid(self.call(Call::write("store a tree").arg("mktree")).await?)
    }

    pub(crate) async fn write_commit(&self, new: &NewCommit<'_>) -> Result<Oid, GitError> {
        let mut call = Call::write("store a commit")
            .args(["commit-tree", "-F", "-"])
            .arg(new.tree.as_str());
        for parent in new.parents {
            call = call.args(["-p", parent.as_str()]);
        }
        let call = call
            .env("GIT_AUTHOR_NAME", &new.author.name)
            .env("GIT_AUTHOR_EMAIL", &new.author.email)
            .env("GIT_AUTHOR_DATE", &new.author.date)
            .env("GIT_COMMITTER_NAME", &new.committer.name)
            .env("GIT_COMMITTER_EMAIL", &new.committer.email)
            .env("GIT_COMMITTER_DATE", &new.committer.date)
            .stdin(new.message.as_bytes().to_vec());
        oid(self.call(call).await?)
    }
}

fn oid(reply: Reply) -> Result<Oid, GitError> {
    let reply = reply.success()?;
    Oid::parse(&reply.line()).ok_or_else(|| reply.unreadable())
}
