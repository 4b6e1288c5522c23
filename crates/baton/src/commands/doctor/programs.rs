use std::path::Path;
use std::time::Duration;

use baton_host::cmd::{Cmd, Outcome};
use baton_host::git::Head;
use baton_protocol::detection::Purpose;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::checks::Check;
use crate::checkout;
use crate::commands::detect;
use crate::session::Session;

/// Long enough for a program that starts an interpreter first.
const PATIENCE: Duration = Duration::from_secs(10);

/// The first line that a program prints about its version.
pub(super) async fn version(
    program: &str,
    here: &Path,
    session: &Session,
    cancel: &CancellationToken,
) -> Option<String> {
    let cmd = Cmd::new(program, here, &session.environment)
        .arg("--version")
        .wall_limit(PATIENCE)
        .merged();
    let finished = cmd.run(cancel).await.ok()?;
    if finished.outcome != Outcome::Exited(0) {
        return None;
    }
    let text = finished.stdout.text();
    text.lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .map(str::to_owned)
}

pub(super) async fn git(here: &Path, session: &Session, cancel: &CancellationToken) -> Vec<Check> {
    const AREA: &str = "git";
    let git = match checkout::open_git(here, &session.environment, cancel).await {
        Ok(git) => git,
        Err(error) => {
            return vec![Check::missing(
                AREA,
                error.to_string(),
                "Install git 2.38 or later.",
            )];
        }
    };
    let found = Check::fine(AREA, format!("git {}", git.version()));
    let place = match git.facts().await {
        Ok(facts) => {
            let head = match &facts.head {
                Head::Branch { name, .. } => format!("on branch {name}"),
                Head::Detached { commit } => format!("at {commit}, on no branch"),
                Head::Unborn { name } => format!("on branch {name}, without a commit"),
            };
            Check::fine(AREA, format!("in a repository, {head}"))
        }
        Err(_) => Check::note(
            AREA,
            "this folder is in no repository",
            "Run baton inside a checkout, or `git init` one.",
        ),
    };
    vec![found, place]
}

/// The tools that the project at hand needs.
pub(super) fn project(here: &Path, session: &Session) -> Vec<Check> {
    const AREA: &str = "This project";
    let Ok(config) = session.config() else {
        return Vec::new();
    };
    let project = detect::project(here, None, &session.environment, &config);
    let Some(language) = project.language() else {
        return vec![Check::note(
            AREA,
            "its language is not clear",
            "`baton detect` says what was found.",
        )];
    };
    let mut checks = Vec::new();
    let mut seen = Vec::new();
    let Some(commands) = project.commands(language) else {
        return checks;
    };
    let testing = commands.testing.test.first().map(|c| ("test", c));
    let others = [Purpose::Format, Purpose::Lint, Purpose::Build]
        .into_iter()
        .filter_map(|purpose| Some((purpose.name(), commands.validation.first(purpose)?)));
    for (purpose, candidate) in testing.into_iter().chain(others) {
        let Some(program) = candidate.command.split_whitespace().next() else {
            continue;
        };
        if seen.contains(&program) {
            continue;
        }
        seen.push(program);
        let there = if program.contains('/') {
            here.join(program).exists()
        } else {
            session.environment.find_program(program).is_some()
        };
        checks.push(if there {
            Check::fine(AREA, format!("{language}: {program}, to {purpose}"))
        } else {
            Check::note(
                AREA,
                format!("{language}: {program}, to {purpose}, is not installed"),
                commands.suggestion.clone(),
            )
        });
    }
    checks
}

/// The coding agents that baton can drive.
pub(super) const AGENTS: [(&str, &str); 5] = [
    ("claude", "npm install -g @anthropic-ai/claude-code"),
    ("codex", "npm install -g @openai/codex"),
    ("gemini", "npm install -g @google/gemini-cli"),
    ("goose", "npm install -g @aaif/goose"),
    ("aider", "pip install aider-chat"),
];

pub(super) async fn agents(
    here: &Path,
    session: &Session,
    cancel: &CancellationToken,
) -> Vec<Check> {
    const AREA: &str = "Coding agents";
    let mut asked = JoinSet::new();
    for (name, _) in AGENTS {
        if session.environment.find_program(name).is_none() {
            continue;
        }
        let cmd = Cmd::new(name, here, &session.environment)
            .arg("--version")
            .wall_limit(PATIENCE)
            .merged();
        let cancel = cancel.clone();
        asked.spawn(async move {
            let finished = cmd.run(&cancel).await.ok()?;
            let text = finished.stdout.text();
            let line = text.lines().next().unwrap_or_default().trim().to_owned();
            Some((name, finished.success(), line))
        });
    }
    let mut checks: Vec<Check> = asked
        .join_all()
        .await
        .into_iter()
        .flatten()
        .map(|(name, works, line)| {
            if works {
                Check::fine(AREA, format!("{name}: {line}"))
            } else {
                Check::note(
                    AREA,
                    format!("{name} is there, but does not tell its version: {line}"),
                    format!("Run `{name} --version` and see."),
                )
            }
        })
        .collect();
    checks.sort_by(|a, b| a.finding.cmp(&b.finding));
    if checks.is_empty() {
        let (_, install) = AGENTS[0];
        checks.push(Check::note(
            AREA,
            "none of claude, codex, gemini, goose and aider is installed",
            format!("Install one, as in `{install}`."),
        ));
    }
    checks
}
