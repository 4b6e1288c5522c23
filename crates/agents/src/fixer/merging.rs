//! Bringing the base in where it does not fit by itself.

use std::path::PathBuf;

use baton_host::git::{Call, Oid};

use super::work::Work;
use crate::AgentStep;
use crate::step_error::StepError;
use crate::validator::kinds;
use crate::workspace::Workspace;

/// A merge of the base that is under way in the workspace.
pub(super) struct Merge {
    base: Option<Oid>,
    /// The files in conflict.
    files: Vec<PathBuf>,
}

/// Begins the merge that a conflict is about, unless it is begun or made.
pub(super) async fn begin(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    work: &Work<'_>,
) -> Result<Merge, StepError> {
    let mut merge = Merge {
        base: None,
        files: Vec::new(),
    };
    if !work.has(kinds::CONFLICT) {
        return Ok(merge);
    }
    let git = &workspace.git;
    let base = workspace.base_tip(step.place).await?;
    if git.is_ancestor(base.as_str(), "HEAD").await? {
        return Ok(merge);
    }
    let tried = git.merge_tree("HEAD", base.as_str()).await?;
    merge.files = tried.conflicts.into_iter().map(|file| file.path).collect();
    merge.files.dedup();
    if git.find_commit("MERGE_HEAD").await?.is_none() {
        let doing = format!("merge {}", workspace.base);
        let call =
            Call::write(doing).args(["merge", "--quiet", "--no-commit", "--no-ff", base.as_str()]);
        let reply = git.call(call).await?;
        // 1 says that there are conflicts, which are what this is for.
        if !matches!(reply.code, 0 | 1) {
            return Err(reply.failed().into());
        }
    }
    merge.base = Some(base);
    Ok(merge)
}

impl Merge {
    /// No one has to look at a merge that fits by now.
    pub(super) fn is_all_that_is_wanted(&self, work: &Work<'_>) -> bool {
        self.files.is_empty() && work.is_only(kinds::CONFLICT)
    }

    /// What has conflict markers in it is not merged.
    pub(super) async fn check(&self, workspace: &Workspace) -> Result<(), StepError> {
        let Some(base) = &self.base else {
            return Ok(());
        };
        for file in &self.files {
            let content = tokio::fs::read(workspace.path.join(file))
                .await
                .unwrap_or_default();
            let is_marker =
                |line: &[u8]| line.starts_with(b"<<<<<<< ") || line.starts_with(b">>>>>>> ");
            if content.split(|byte| *byte == b'\n').any(is_marker) {
                return Err(StepError::unproven(format!(
                    "{} still has conflict markers in it",
                    file.display()
                )));
            }
        }
        let git = &workspace.git;
        let is_under_way = git.find_commit("MERGE_HEAD").await?.is_some();
        if is_under_way || git.is_ancestor(base.as_str(), "HEAD").await? {
            return Ok(());
        }
        Err(StepError::unproven(format!(
            "the merge of {} was given up; it has to be resolved",
            workspace.base
        )))
    }
}
