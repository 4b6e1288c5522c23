//! Programs that baton calls.

use std::path::Path;
use std::time::Duration;

use baton_engine::agent;
use baton_host::cmd::{Cmd, Environment, Outcome};
use baton_host::git::Head;
use baton_protocol::detection::Purpose;
use tokio_util::sync::CancellationToken;

use super::checks::Check;
use crate::checkout;
use crate::commands::detect;
use crate::runs::agents;
use crate::session::Session;

/// Long enough for a program that starts an interpreter first.
const PATIENCE: Duration = Duration::from_secs(10);

/// The environment without the parts of `PATH` that lie in the repository: to
/// be asked for its version, a program has to run.
pub(super) fn outside(here: &Path, environment: &Environment) -> Environment {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let here = real(here);
    let mut above = here.ancestors();
    let top_level = above
        .find(|folder| folder.join(".git").exists())
        .unwrap_or(&here);
    let mut environment = environment.clone();
    // A home that is a repository, or in one, is the user's own.
    let is_home = environment
        .get("HOME")
        .is_some_and(|home| real(Path::new(home)).starts_with(top_level));
    if let Some(path) = environment.get("PATH").filter(|_| !is_home) {
        let folders = std::env::split_paths(path);
        let others = folders.filter(|folder| !real(folder).starts_with(top_level));
        if let Ok(others) = std::env::join_paths(others) {
            environment.set("PATH", others);
        }
    }
    environment
}

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

/// The coding agents that baton can drive, and how each was recognised.
pub(super) async fn agents(here: &Path, session: &Session) -> Vec<Check> {
    const AREA: &str = "Coding agents";
    let mut checks = Vec::new();
    let config = session.config().ok();
    // One that the user named is used before all others.
    if let Some(config) = config.filter(|config| config.get("agent.program").is_some()) {
        checks.push(match agents::choose(None, &config, &session.environment) {
            Ok(agent) => Check::fine(
                AREA,
                format!(
                    "{}: {}, as agent.program says, by {}",
                    agent.name,
                    agent.program,
                    agents::word_of(agent.driver)
                ),
            ),
            Err(error) => Check::note(AREA, error.in_one_line(), error.hints().join(" ")),
        });
    }
    for found in agent::detect(&session.environment, here).await {
        let call: Vec<&str> = std::iter::once(found.agent.program.as_str())
            .chain(found.agent.args.iter().map(String::as_str))
            .collect();
        let (name, call) = (&found.agent.name, call.join(" "));
        let how = agents::word_of(found.agent.driver);
        let path = found.path.to_string_lossy();
        checks.push(match &found.version {
            Some(version) => Check::fine(
                AREA,
                format!("{name}: by {how}, as `{call}` is {path} ({version})"),
            ),
            None => Check::note(
                AREA,
                format!("{name}: by {how}, as `{call}` is {path}; it does not tell its version"),
                format!("Run `{} --version` and see.", found.agent.program),
            ),
        });
    }
    if checks.is_empty() {
        let (_, install) = agents::KNOWN[0];
        let names: Vec<&str> = agents::KNOWN.iter().map(|(name, _)| *name).collect();
        checks.push(Check::note(
            AREA,
            format!("none of {} is installed", names.join(", ")),
            format!("Install one, as in `{install}`."),
        ));
    }
    checks
}
