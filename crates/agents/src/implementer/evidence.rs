//! Whether work was done, by what can be seen of it.

use std::path::Path;

use baton_host::git::{ChangeKind, FileDiff};
use baton_protocol::handoff::IssueReady;

use crate::AgentStep;
use crate::step_error::StepError;
use crate::foreign_text::one_line;
use crate::publishable;
use crate::workspace::Workspace;

/// Whether the branch has something to show.
pub(super) async fn check(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    issue: &IssueReady,
) -> Result<(), StepError> {
    let git = &workspace.git;
    let changed = git.diff(workspace.begun.as_str(), "HEAD", 0).await?;
    if changed.is_empty() {
        return Err(StepError::unproven(
            "nothing has changed that could be committed; the issue is not resolved yet",
        ));
    }
    if let Some(nested) = changed.iter().find(|file| is_new_repository(file)) {
        return Err(StepError::unproven(format!(
            "{} is a git repository of its own; remove its `.git` folder, or the folder itself",
            nested.path.display()
        )));
    }
    publishable::check(step, workspace).await?;
    if changed.iter().all(only_removes) && !asks_to_remove(issue) {
        return Err(StepError::objection(format!(
            "everything that has changed was deleted ({}); the issue asks for more than that",
            named(&changed)
        )));
    }
    Ok(())
}

fn named(changed: &[FileDiff]) -> String {
    const MAX_NAMED: usize = 20;
    let paths = changed.iter().take(MAX_NAMED);
    let mut names: Vec<String> = paths
        .map(|file| one_line(&file.path.to_string_lossy(), 100))
        .collect();
    let more = changed.len().saturating_sub(MAX_NAMED);
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names.join(", ")
}

fn is_new_repository(file: &FileDiff) -> bool {
    const SUBMODULE: &str = "160000";
    let is_declared = file.path == Path::new(".gitmodules");
    file.new_mode == SUBMODULE && file.old_mode != SUBMODULE && !is_declared
}

fn only_removes(file: &FileDiff) -> bool {
    match file.kind {
        ChangeKind::Deleted => true,
        ChangeKind::Modified => {
            !file.is_binary
                && file.additions() == 0
                && file.deletions() > 0
                && file.old_mode == file.new_mode
        }
        _ => false,
    }
}

fn asks_to_remove(issue: &IssueReady) -> bool {
    const SIGNS: &[&str] = &[
        "remove", "delete", "drop", "unused", "dead", "prune", "revert",
    ];
    let texts = issue.requirements.iter().chain([&issue.issue_title]);
    let mut words = texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    words.any(|word| {
        let word = word.to_lowercase();
        SIGNS.iter().any(|sign| word.starts_with(sign))
    })
}
