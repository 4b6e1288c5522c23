//! What an agent left uncommitted, in commits that each say one thing.

use baton_protocol::handoff::{IssueReady, IssueType};

use super::figures::is_test_path;
use crate::AgentStep;
use crate::commits;
use crate::step_error::StepError;
use crate::workspace::Workspace;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Lump {
    /// Code, and whatever it needs to be built.
    Work,
    Tests,
    Docs,
}

/// Commits whatever is there. Code goes first, so that every commit builds.
pub(super) async fn commit(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    issue: &IssueReady,
) -> Result<(), StepError> {
    let (git, key) = (&workspace.git, &step.call.key);
    let paths = commits::uncommitted(git).await?;
    let kind = issue.issue_type.word().unwrap_or(IssueType::Feature);
    let message = |lump: Lump| {
        let word = match lump {
            Lump::Work => commits::word(kind),
            Lump::Tests => "test",
            Lump::Docs => "docs",
        };
        let subject = commits::subject(word, &issue.issue_title);
        format!("{subject}\n\nRefs #{}", issue.issue_number)
    };
    for lump in [Lump::Work, Lump::Tests, Lump::Docs] {
        let some: Vec<String> = paths
            .iter()
            .filter(|path| lump_of(path) == lump)
            .cloned()
            .collect();
        commits::commit_paths(git, &some, &message(lump), key).await?;
    }
    // Names that are no plain text could not be sorted.
    commits::commit_rest(git, &message(Lump::Work), key).await?;
    Ok(())
}

fn lump_of(path: &str) -> Lump {
    let lower = path.to_ascii_lowercase();
    let is_text = [".md", ".rst", ".adoc", ".txt"]
        .iter()
        .any(|ending| lower.ends_with(ending));
    if is_test_path(path) {
        Lump::Tests
    } else if lower.starts_with("docs/") || is_text && !lower.ends_with("requirements.txt") {
        Lump::Docs
    } else {
        Lump::Work
    }
}
