//! What the coding agent is told.

use std::path::Path;

use baton_protocol::detection::Purpose;
use baton_protocol::handoff::Vocabulary;
use baton_workflow::Guidance;

use crate::Errand;
use crate::failure::Setback;
use crate::fence::{EXPLANATION, fenced};
use crate::foreign_text::one_line;
use crate::handed;
use crate::issue_manager::request::without_comments;
use crate::project_command;
use crate::workspace::Workspace;

/// An issue longer than this is about more than one thing.
const LONGEST_ISSUE: usize = 20_000;
/// What matters stands at the beginning of such files.
const LONGEST_CONVENTIONS: usize = 6_000;
const LONGEST_GUIDANCE: usize = 4_000;

/// Where a repository says how to work in it.
const CONVENTIONS: &[&str] = &[
    "AGENTS.md",
    "CLAUDE.md",
    "CONTRIBUTING.md",
    ".github/CONTRIBUTING.md",
];

pub(super) async fn write(errand: &Errand<'_>, workspace: &Workspace) -> Result<String, Setback> {
    let issue = handed::issue(errand)?;
    let number = handed::number(issue.issue_number)?;
    let mut parts = vec![rules(errand, workspace, number), EXPLANATION.to_owned()];
    let place = errand.place;
    let there = place.github.issue(&place.repository, number).await?;
    let run = errand.call.run();
    let kind = issue.issue_type.word().map_or("change", Vocabulary::word);
    let text = format!(
        "{}\n\n{}",
        one_line(&there.title, 300),
        without_comments(&there.body)
    );
    parts.push(fenced(
        run,
        &format!("the issue, a {kind}"),
        &text,
        LONGEST_ISSUE,
    ));
    let points = issue.requirements.iter().map(|point| format!("- {point}"));
    let points = points.collect::<Vec<_>>().join("\n");
    parts.push(fenced(
        run,
        "what has to be true in the end",
        &points,
        LONGEST_ISSUE,
    ));
    parts.extend(commands(errand, workspace));
    parts.extend(conventions(errand, workspace).await?);
    parts.extend(earlier(errand));
    Ok(parts.join("\n\n") + "\n")
}

fn rules(errand: &Errand<'_>, workspace: &Workspace, issue: u32) -> String {
    format!(
        "Resolve issue #{issue} of {repository} in this git worktree.\n\n\
         - Work in {path} only, on the branch {branch}, which is checked out. Change nothing outside.\n\
         - Write the code and the tests for it. Run the build and the tests before you say that you are done.\n\
         - Do not delete, skip or weaken tests, checks or settings of linters to make something pass.\n\
         - Write code as the rest of the repository does, and as its conventions below say.\n\
         - Commit if you like, in small steps with conventional subjects; what you leave uncommitted is committed for you. Do not push, and open no pull request.\n\
         - Nobody can answer questions. Decide for yourself, and keep to what the issue asks for.",
        repository = errand.place.repository,
        path = workspace.path.display(),
        branch = workspace.branch,
    )
}

fn commands(errand: &Errand<'_>, workspace: &Workspace) -> Vec<String> {
    let project = project_command::look(errand.place, &workspace.path);
    let preferred = &errand.place.settings.preferred;
    let of = |name: &str, configured: &Option<String>, purpose: Purpose| {
        let detected = || {
            let commands = project.commands(project.language()?)?;
            Some(commands.validation.first(purpose)?.command.clone())
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
    let mut parts = Vec::new();
    if !lines.is_empty() {
        parts.push(format!("Commands of the project:\n{}", lines.join("\n")));
    }
    if let Some(port) = workspace.port {
        parts.push(format!(
            "A server that you start for a look may use the port {port}."
        ));
    }
    parts
}

/// As they were when the work began: an agent cannot change its own rules.
async fn conventions(errand: &Errand<'_>, workspace: &Workspace) -> Result<Vec<String>, Setback> {
    let mut parts = Vec::new();
    for name in CONVENTIONS {
        let begun = workspace.begun.as_str();
        let file = workspace.git.file_at(begun, Path::new(name)).await?;
        let Some(bytes) = file else {
            continue;
        };
        let what = format!("conventions of the repository, from {name}");
        let text = String::from_utf8_lossy(&bytes);
        parts.push(fenced(errand.call.run(), &what, &text, LONGEST_CONVENTIONS));
    }
    Ok(parts)
}

fn earlier(errand: &Errand<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    if errand.call.resumed || errand.call.attempt > 1 {
        let text = "This was begun before. What is in the worktree was left by the earlier try: look at it first, and go on from there.";
        parts.push(text.to_owned());
    }
    for guidance in errand.call.guidance() {
        match guidance {
            Guidance::Failure(text) => {
                let what = "why an earlier try did not count";
                parts.push(fenced(errand.call.run(), what, text, LONGEST_GUIDANCE));
            }
            Guidance::Answer(answer) => {
                let said = answer.comment.iter();
                parts.extend(said.map(|said| format!("Whoever is in charge says: {said}")));
            }
        }
    }
    parts
}
