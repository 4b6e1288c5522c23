//! What the coding agent is told.

use std::fmt::Write as _;
use std::path::Path;

use baton_protocol::detection::Purpose;
use baton_protocol::handoff::Vocabulary;
use baton_workflow::Guidance;

use crate::Errand;
use crate::failure::Setback;
use crate::fence::{self, fenced};
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
    let place = errand.place;
    let issue = handed::issue(errand)?;
    let number = handed::number(issue.issue_number)?;
    let there = place.github.issue(&place.repository, number).await?;
    let mut prompt = format!(
        "Resolve issue #{number} of {repository} in this git worktree.\n\n\
         - Work in {path} only, on the branch {branch}, which is checked out. Change nothing outside.\n\
         - Write the code and the tests for it. Run the build and the tests before you say that you are done.\n\
         - Do not delete, skip or weaken tests, checks or settings of linters to make something pass.\n\
         - Commit if you like, in small steps with conventional subjects; what you leave uncommitted is committed for you. Do not push, and open no pull request.\n\
         - Nobody can answer questions. Decide for yourself, and keep to what the issue asks for.\n\n",
        repository = place.repository,
        path = workspace.path.display(),
        branch = workspace.branch,
    );
    let title = one_line(&there.title, 300);
    let kind = issue.issue_type.word().map_or("change", Vocabulary::word);
    let text = format!("{title}\n\n{}", without_comments(&there.body));
    let run = errand.call.run();
    writeln!(prompt, "{}\n", fence::EXPLANATION).expect("a string takes all text");
    prompt.push_str(&fenced(
        run,
        &format!("the issue, a {kind}"),
        &text,
        LONGEST_ISSUE,
    ));
    let points: Vec<String> = issue
        .requirements
        .iter()
        .map(|point| format!("- {point}"))
        .collect();
    prompt.push_str("\n\n");
    prompt.push_str(&fenced(
        run,
        "what has to be true in the end",
        &points.join("\n"),
        LONGEST_ISSUE,
    ));
    prompt.push('\n');
    commands(errand, workspace, &mut prompt);
    conventions(errand, workspace, &mut prompt).await?;
    earlier(errand, &mut prompt);
    Ok(prompt)
}

fn commands(errand: &Errand<'_>, workspace: &Workspace, prompt: &mut String) {
    let project = project_command::look(errand.place, &workspace.path);
    let preferred = &errand.place.settings.preferred;
    let found = |purpose: Purpose| {
        let commands = project.commands(project.language()?)?;
        let candidate = commands.validation.first(purpose)?;
        Some(candidate.command.clone())
    };
    let all = [
        (
            "build",
            preferred.build.clone().or_else(|| found(Purpose::Build)),
        ),
        (
            "tests",
            preferred.test.clone().or_else(|| found(Purpose::Test)),
        ),
        (
            "linter",
            preferred.lint.clone().or_else(|| found(Purpose::Lint)),
        ),
        (
            "formatter",
            preferred.format.clone().or_else(|| found(Purpose::Format)),
        ),
    ];
    let lines: Vec<String> = all
        .into_iter()
        .filter_map(|(name, command)| Some(format!("- {name}: {}", one_line(&command?, 300))))
        .collect();
    if !lines.is_empty() {
        prompt.push_str("\nCommands of the project:\n");
        prompt.push_str(&lines.join("\n"));
        prompt.push('\n');
    }
    if let Some(port) = workspace.port {
        writeln!(
            prompt,
            "\nA server that you start for a look may use the port {port}."
        )
        .expect("a string takes all text");
    }
}

/// As they were when the work began: an agent cannot change its own rules.
async fn conventions(
    errand: &Errand<'_>,
    workspace: &Workspace,
    prompt: &mut String,
) -> Result<(), Setback> {
    for name in CONVENTIONS {
        let file = workspace
            .git
            .file_at(workspace.begun.as_str(), Path::new(name))
            .await?;
        let Some(bytes) = file else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        writeln!(
            prompt,
            "\nKeep to these where they say how code is to be written:\n{}",
            fenced(
                errand.call.run(),
                &format!("conventions of the repository, from {name}"),
                &text,
                LONGEST_CONVENTIONS,
            )
        )
        .expect("a string takes all text");
    }
    Ok(())
}

fn earlier(errand: &Errand<'_>, prompt: &mut String) {
    if errand.call.resumed || errand.call.attempt > 1 {
        prompt.push_str(
            "\nThis was begun before. What is in the worktree was left by the earlier try: look at it first, and go on from there.\n",
        );
    }
    for guidance in errand.call.guidance() {
        let (what, text) = match guidance {
            Guidance::Failure(text) => ("why the earlier try did not count", text.as_str()),
            Guidance::Answer(answer) => match &answer.comment {
                Some(comment) => ("what the person in charge said", comment.as_str()),
                None => continue,
            },
        };
        prompt.push('\n');
        prompt.push_str(&fenced(errand.call.run(), what, text, LONGEST_GUIDANCE));
        prompt.push('\n');
    }
}
