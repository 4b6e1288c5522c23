//! Lists, adds and removes worktrees.

use std::path::Path;

use crate::cmd::Outcome;

use super::call::Call;
use super::harden::shadow_error;
use super::names::{branch_ref, check_new_branch};
use super::{Git, GitError, Oid, Worktree, parse};

/// What a new worktree has checked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkout<'a> {
    /// A branch that is there.
    Branch(&'a str),
    /// A new branch at the given revision. It follows no other branch.
    NewBranch { name: &'a str, start: &'a str },
    /// A commit without a branch.
    Detached(&'a str),
}

impl Git {
    /// All worktrees, the main one first.
    pub async fn worktrees(&self) -> Result<Vec<Worktree>, GitError> {
        let call = Call::read("list the worktrees").args(["worktree", "list", "--porcelain", "-z"]);
        let reply = self.call(call).await?.success()?;
        let mut worktrees = parse::worktrees(&reply.stdout);
        if let Some(shadow) = self.shadow().await?
            && let Some(main) = worktrees.first_mut()
        {
            main.path = shadow.main_worktree();
        }
        Ok(worktrees)
    }

    pub async fn add_worktree(&self, path: &Path, checkout: Checkout<'_>) -> Result<(), GitError> {
        let doing = format!("add a worktree at {}", path.display());
        let call = Call::write(&doing).args(["worktree", "add", "--quiet", "--no-checkout"]);
        let call = match checkout {
            Checkout::Branch(name) => {
                // git would look for a name it does not know on the remotes.
                branch_ref(name)?;
                if !self.branch_exists(name).await? {
                    return Err(GitError::NoSuch {
                        what: "branch",
                        name: name.to_owned(),
                    });
                }
                call.arg("--").arg(path).arg(name)
            }
            Checkout::NewBranch { name, start } => {
                check_new_branch(name)?;
                let start = self.commit(start).await?;
                call.args(["--no-track", "-b", name, "--"])
                    .arg(path)
                    .arg(start.as_str())
            }
            Checkout::Detached(revision) => {
                let commit = self.commit(revision).await?;
                call.args(["--detach", "--"]).arg(path).arg(commit.as_str())
            }
        };
        self.call(call).await?.success()?;
        let path = self.cwd.join(path);
        if let Some(shadow) = self.shadow().await? {
            shadow.settle_worktree(&path).map_err(shadow_error)?;
        }
        // Only now: a worktree whose files are there is one that will work.
        let fill = Call::write(doing).args(["reset", "--quiet", "--hard", "HEAD"]);
        self.at(path).call(fill).await?.success().map(drop)
    }

    /// Removes a worktree that has no uncommitted work.
    pub async fn remove_worktree(&self, path: &Path) -> Result<(), GitError> {
        let doing = format!("remove the worktree at {}", path.display());
        // git itself would look into submodules, too, with their configuration.
        let status = Call::read(&doing)
            .args(["status", "--porcelain", "--ignore-submodules=dirty"])
            .arg("--untracked-files=normal");
        let reply = self.at(path).call(status).await?.success()?;
        if !reply.stdout.is_empty() {
            return Err(GitError::Failed {
                doing,
                outcome: Outcome::Exited(1),
                stderr: "it contains modified or untracked files".to_owned(),
            });
        }
        self.force_remove_worktree(doing, path).await
    }

    /// Removes a worktree with whatever is in it.
    pub async fn discard_worktree(&self, path: &Path) -> Result<(), GitError> {
        let doing = format!("discard the worktree at {}", path.display());
        self.force_remove_worktree(doing, path).await
    }

    async fn force_remove_worktree(&self, doing: String, path: &Path) -> Result<(), GitError> {
        let call = Call::write(doing)
            .args(["worktree", "remove", "--force", "--"])
            .arg(path);
        self.call(call).await?.success().map(|_| ())
    }

    /// Forgets worktrees whose folders are gone.
    pub async fn prune_worktrees(&self) -> Result<(), GitError> {
        let call = Call::write("forget worktrees that are gone").args(["worktree", "prune"]);
        self.call(call).await?.success().map(|_| ())
    }

    /// Whether the files here could be brought from one commit's content to
    /// another's without losing a change that was not committed.
    pub async fn can_switch_content(&self, from: &Oid, to: &Oid) -> Result<bool, GitError> {
        self.refresh_index().await?;
        let call = Call::read("see whether the files can be changed")
            .args(["read-tree", "--dry-run", "-m", "-u"])
            .args([from.as_str(), to.as_str()]);
        Ok(self.call(call).await?.code == 0)
    }

    /// Brings index and files from one commit's content to another's, for a
    /// branch that was moved while it was checked out. What was not committed
    /// stays, and what would be lost is an error.
    pub async fn switch_content(&self, from: &Oid, to: &Oid) -> Result<(), GitError> {
        self.refresh_index().await?;
        let call = Call::write("change the files")
            .args(["read-tree", "-m", "-u"])
            .args([from.as_str(), to.as_str()]);
        self.call(call).await?.success().map(drop)
    }

    /// `read-tree` takes a file for changed that was only written again.
    async fn refresh_index(&self) -> Result<(), GitError> {
        let call = Call::write("look at the files").args(["update-index", "-q", "--refresh"]);
        // Its exit code shows whether there are changes.
        self.call(call).await.map(drop)
    }
}
