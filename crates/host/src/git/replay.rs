//! Recreates commits on top of another commit.

use super::call::Call;
use super::names::check_revision;
use super::{Git, GitError, LogEntry, LogRange, MergeTree, Oid, Signature, parse};

/// How many commits one replay may have. More were not written by one person
/// for one review.
const MAX_COMMITS: usize = 1000;

/// The result of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replay {
    /// The new commits, oldest first, each with the one it was made from.
    Done { commits: Vec<ReplayedCommit> },
    /// One did not fit; those before it did.
    Conflict {
        commits: Vec<ReplayedCommit>,
        at: Box<LogEntry>,
        merge: MergeTree,
    },
    /// A merge commit cannot be replayed like the others.
    HasMerge { commit: Oid },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayedCommit {
    pub from: Oid,
    /// Absent where nothing of the change was left to be made.
    pub to: Option<Oid>,
}

/// A commit that is to be made.
#[derive(Debug, Clone, Copy)]
pub struct NewCommit<'a> {
    pub tree: &'a Oid,
    pub parents: &'a [Oid],
    pub message: &'a str,
    pub author: &'a Signature,
    pub committer: &'a Signature,
}

impl Git {
    /// Recreates the commits of `range` on top of `onto`, in the object store
    /// only: no branch, no index and no working tree is touched. Authors and
    /// messages stay; the committer is `committer`.
    pub async fn replay(
        &self,
        range: LogRange<'_>,
        onto: &str,
        committer: &Signature,
    ) -> Result<Replay, GitError> {
        let mut originals = self.log(range, MAX_COMMITS).await?;
        originals.reverse();
        // On the heap: a caller's future has this one inside.
        Box::pin(self.replay_commits(&originals, onto, committer)).await
    }

    /// The same for commits that are given, the oldest first. They need not
    /// follow one another.
    pub async fn replay_commits(
        &self,
        originals: &[LogEntry],
        onto: &str,
        committer: &Signature,
    ) -> Result<Replay, GitError> {
        let mut tip = self.commit(onto).await?;
        let mut commits = Vec::new();
        for original in originals {
            let [parent] = original.parents.as_slice() else {
                return Ok(Replay::HasMerge {
                    commit: original.commit.clone(),
                });
            };
            let merge = self
                .merge_tree_from(parent.as_str(), tip.as_str(), original.commit.as_str())
                .await?;
            if !merge.clean {
                return Ok(Replay::Conflict {
                    commits,
                    at: Box::new(original.clone()),
                    merge,
                });
            }
            let made = if self
                .is_left_over(original, parent, &merge.tree, &tip)
                .await?
            {
                None
            } else {
                let new = NewCommit {
                    tree: &merge.tree,
                    parents: std::slice::from_ref(&tip),
                    message: &original.message,
                    author: &original.author,
                    committer,
                };
                Some(self.make_commit(new).await?)
            };
            tip = made.clone().unwrap_or(tip);
            commits.push(ReplayedCommit {
                from: original.commit.clone(),
                to: made,
            });
        }
        Ok(Replay::Done { commits })
    }

    /// Whether all that a commit changed is there already. One that never
    /// changed anything was made so on purpose and stays.
    async fn is_left_over(
        &self,
        original: &LogEntry,
        parent: &Oid,
        merged: &Oid,
        tip: &Oid,
    ) -> Result<bool, GitError> {
        Ok(*merged == self.tree(tip.as_str()).await?
            && original.tree != self.tree(parent.as_str()).await?)
    }

    /// Who commits here, and now; absent where git does not know.
    pub async fn committer(&self) -> Result<Option<Signature>, GitError> {
        let call = Call::read("find out who commits").args(["var", "GIT_COMMITTER_IDENT"]);
        let reply = self.call(call).await?;
        match reply.code {
            0 => match parse::identity(&reply.line()) {
                Some(signature) => Ok(Some(signature)),
                None => Err(reply.unreadable()),
            },
            128 => Ok(None),
            _ => Err(reply.failed()),
        }
    }

    /// Puts a commit into the object store; no branch moves.
    pub async fn make_commit(&self, new: NewCommit<'_>) -> Result<Oid, GitError> {
        let mut call = Call::write("make a commit")
            // Signing could ask for a password.
            .args([
                "-c",
                "i18n.commitEncoding=UTF-8",
                "commit-tree",
                "--no-gpg-sign",
            ])
            .env("GIT_AUTHOR_NAME", &new.author.name)
            .env("GIT_AUTHOR_EMAIL", &new.author.email)
            .env("GIT_AUTHOR_DATE", new.author.date())
            .env("GIT_COMMITTER_NAME", &new.committer.name)
            .env("GIT_COMMITTER_EMAIL", &new.committer.email)
            .env("GIT_COMMITTER_DATE", new.committer.date())
            .arg(new.tree.as_str());
        for parent in new.parents {
            call = call.args(["-p", parent.as_str()]);
        }
        let call = call.stdin(format!("{}\n", new.message).into_bytes());
        let reply = self.call(call).await?.success()?;
        match Oid::parse(&reply.line()) {
            Some(oid) => Ok(oid),
            None => Err(reply.unreadable()),
        }
    }

    /// Moves, makes and deletes refs: all of them, or none when one is not
    /// where it is expected to be. `reason` goes into the reflog.
    pub async fn update_refs(&self, moves: &[RefMove], reason: &str) -> Result<(), GitError> {
        let mut commands = Vec::new();
        for RefMove { name, from, to } in moves {
            check_revision(name)?;
            let command = match (from, to) {
                (Some(old), Some(new)) => format!("update {name}\0{new}\0{old}\0"),
                (None, Some(new)) => format!("create {name}\0{new}\0"),
                (Some(old), None) => format!("delete {name}\0{old}\0"),
                (None, None) => continue,
            };
            commands.extend(command.into_bytes());
        }
        let call = Call::write("move the refs")
            .args([
                "update-ref",
                "-m",
                reason,
                "--create-reflog",
                "--stdin",
                "-z",
            ])
            .stdin(commands);
        self.call(call).await?.success().map(drop)
    }
}

/// What happens to one ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefMove {
    /// Its full name.
    pub name: String,
    /// Where it must be; absent: it must not be there.
    pub from: Option<Oid>,
    /// Where it goes; absent: it is deleted.
    pub to: Option<Oid>,
}
