//! Compares the worktree before and after an agent's work.

use baton_host::git::{Git, Oid};

use super::{AgentError, Assignment, Role};

/// The state of the worktree before the agent started.
pub(super) struct Evidence {
    git: Git,
    before: Contents,
}

#[derive(PartialEq, Eq)]
struct Contents {
    commit: Option<Oid>,
    tree: Oid,
}

impl Contents {
    async fn read(git: &Git) -> Result<Self, AgentError> {
        Ok(Self {
            commit: git.find_commit("HEAD").await?,
            tree: git.working_tree().await?,
        })
    }
}

impl Evidence {
    pub(super) async fn before(assignment: &Assignment<'_>) -> Result<Self, AgentError> {
        let git = match assignment.repository {
            Some(git) => git.clone(),
            None => Git::open(assignment.worktree, assignment.environment).await?,
        };
        let before = Contents::read(&git).await?;
        Ok(Self { git, before })
    }

    /// Whether anything is different now. Changes of a reader are reverted, if
    /// everything was committed before.
    pub(super) async fn after(self, assignment: &Assignment<'_>) -> Result<bool, AgentError> {
        let changed = Contents::read(&self.git).await? != self.before;
        if changed
            && assignment.role == Role::Reader
            && let Some(commit) = &self.before.commit
            && self.git.tree(commit.as_str()).await? == self.before.tree
        {
            self.git.put_back(commit).await?;
        }
        Ok(changed)
    }
}
