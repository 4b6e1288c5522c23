//! Files that the agent was not to touch: those of the user's own checkout.

use baton_host::git::{Git, Oid, TreeSnapshot};
use baton_protocol::handoff::WorkspaceType;

use crate::AgentStep;
use crate::step_error::StepError;
use crate::foreign_text::one_line;
use crate::workspace::{self, Workspace};

/// As many as a question can name.
const MAX_NAMED: usize = 10;

/// The checkout as it was before. Absent where it is the workspace itself.
pub(super) struct Watch(Option<Before>);

struct Before {
    git: Git,
    files: TreeSnapshot,
    head: Option<Oid>,
}

impl Watch {
    pub(super) async fn begin(step: &AgentStep<'_>, workspace: &Workspace) -> Result<Self, StepError> {
        if workspace.kind != WorkspaceType::Worktree {
            return Ok(Self(None));
        }
        let git = workspace::git(step).await?;
        if git.facts().await?.bare {
            return Ok(Self(None));
        }
        Ok(Self(Some(Before {
            files: git.snapshot().await?,
            head: git.find_commit("HEAD").await?,
            git,
        })))
    }

    /// Names what has changed. Whether the agent did it or the user, no one can
    /// tell from here.
    pub(super) async fn changes(self) -> Result<Vec<String>, StepError> {
        let Some(Before { git, files, head }) = self.0 else {
            return Ok(Vec::new());
        };
        let top = files.top_level().to_owned();
        let changed = files.changes().await?;
        let mut named: Vec<String> = changed
            .iter()
            .map(|file| one_line(&top.join(&file.path).to_string_lossy(), 300))
            .collect();
        if named.len() > MAX_NAMED {
            let more = named.len() - MAX_NAMED;
            named.truncate(MAX_NAMED);
            named.push(format!("and {more} more"));
        }
        if named.is_empty() && git.find_commit("HEAD").await? != head {
            named.push(format!("the commit that {} has checked out", top.display()));
        }
        Ok(named)
    }
}
