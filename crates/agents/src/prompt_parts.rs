//! What the prompts of all coding agents have in common: what was asked for,
//! and how the repository wants things done.

use std::path::Path;

use baton_protocol::detection::{Purpose, Source};
use baton_protocol::handoff::Vocabulary;

use crate::AgentStep;
use crate::step_error::StepError;
use crate::fence::fenced;
use crate::foreign_text::one_line;
use crate::handoffs;
use crate::issue_manager::request::without_comments;
use crate::project_command;
use crate::workspace::Workspace;

/// An issue longer than this is about more than one thing.
const MAX_ISSUE: usize = 20_000;
/// What matters stands at the beginning of such files.
const MAX_CONVENTIONS: usize = 6_000;

/// Where a repository says how to work in it.
const CONVENTIONS: &[&str] = &[
    "AGENTS.md",
    "CLAUDE.md",
    "CONTRIBUTING.md",
    ".github/CONTRIBUTING.md",
];

/// The issue as it is now, and what its manager made of it. What someone typed
/// to begin the run may be no more than the issue's number.
pub(crate) async fn issue(step: &AgentStep<'_>) -> Result<Vec<String>, StepError> {
    let issue = handoffs::issue(step)?;
    let number = handoffs::number(issue.issue_number)?;
    let place = step.place;
    let there = place.github.issue(&place.repository, number).await;
    let there =
        there.map_err(|error| StepError::unless_there(format_args!("issue #{number}"), error))?;
    let kind = issue.issue_type.word().map_or("change", Vocabulary::word);
    let text = format!(
        "{}\n\n{}",
        one_line(&there.title, 300),
        without_comments(&there.body)
    );
    let points = issue.requirements.iter().map(|point| format!("- {point}"));
    let points = points.collect::<Vec<_>>().join("\n");
    let run = step.call.run();
    let what = format!("issue #{number}, a {kind}");
    Ok(vec![
        fenced(run, &what, &text, MAX_ISSUE),
        fenced(
            run,
            "what has to be true in the end",
            &points,
            MAX_ISSUE,
        ),
    ])
}

/// The commands of the project, where it has any.
pub(crate) fn commands(step: &AgentStep<'_>, workspace: &Workspace) -> Option<String> {
    let project = project_command::look(step, &workspace.path);
    let preferred = &step.place.settings.preferred;
    let of = |name: &str, configured: &Option<String>, purpose: Purpose| {
        let detected = || {
            let commands = project.commands(project.language()?)?;
            let candidate = commands.validation.first(purpose)?;
            // A tool that the project never chose is not for the agent to install.
            let is_style = matches!(purpose, Purpose::Lint | Purpose::Format);
            let is_chosen = candidate.source != Source::LanguageDefault || !is_style;
            is_chosen.then(|| candidate.command.clone())
        };
        let command = configured.clone().or_else(detected)?;
        Some(format!("- {name}: {}", one_line(&command, 300)))
    };
    let lines: Vec<String> = [
        of("build", &preferred.build, Purpose::Build),
        of("tests", &preferred.test, Purpose::Test),
        of("linter", &preferred.lint, Purpose::Lint),
        of("formatter", &preferred.format, Purpose::Format),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!lines.is_empty()).then(|| format!("Commands of the project:\n{}", lines.join("\n")))
}

/// As they were when the work began: an agent cannot change its own rules.
pub(crate) async fn conventions(
    step: &AgentStep<'_>,
    workspace: &Workspace,
) -> Result<Vec<String>, StepError> {
    let (mut parts, mut texts) = (Vec::new(), Vec::new());
    for name in CONVENTIONS {
        let begun = workspace.begun.as_str();
        let file = workspace.git.file_at(begun, Path::new(name)).await?;
        let Some(bytes) = file else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // Many repositories give one file several names, with copies or links.
        if texts.contains(&text) || is_link(&text) {
            continue;
        }
        let what = format!("conventions of the repository, from {name}");
        parts.push(fenced(step.call.run(), &what, &text, MAX_CONVENTIONS));
        texts.push(text);
    }
    Ok(parts)
}

/// git keeps the path that a link leads to as its text.
fn is_link(text: &str) -> bool {
    let path = text.trim_start_matches("../");
    CONVENTIONS.contains(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_other_conventions_says_nothing_new() {
        assert!(is_link("AGENTS.md"));
        assert!(is_link("../CONTRIBUTING.md"));
        assert!(!is_link("Read AGENTS.md"));
        assert!(!is_link("docs/style.md"));
    }
}
