//! Commands of the project itself: install, generate, build.

use std::path::Path;

use baton_host::Cmd;
use baton_host::cmd::{CaptureLimits, Environment, Outcome, ShellVerdict};
use baton_host::detect::{self, Options};
use baton_ops::plain_text;
use baton_protocol::detection::{Candidate, FallbackWhen, Project, Source};

use crate::Errand;
use crate::failure::Setback;
use crate::prep::RunEnvironment;

/// A command that ran to its end.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    pub(crate) command: String,
    pub(crate) outcome: Outcome,
    /// The end of what it printed, where a failure explains itself.
    pub(crate) said: String,
}

impl Ran {
    pub(crate) fn success(&self) -> bool {
        self.outcome == Outcome::Exited(0)
    }

    /// What happened, for a person.
    pub(crate) fn told(&self) -> String {
        let Self {
            command,
            outcome,
            said,
        } = self;
        match said.trim() {
            "" => format!("`{command}` {outcome}"),
            said => format!("`{command}` {outcome}; it said:\n{said}"),
        }
    }
}

const CAPTURE: CaptureLimits = CaptureLimits {
    head: 4 * 1024,
    tail: 16 * 1024,
    spill: 0,
};

/// As much of what a command said as is worth telling.
const SAID: usize = 1500;

/// What a folder holds.
pub(crate) fn look(errand: &Errand<'_>, folder: &Path) -> Project {
    let environment = variables(errand, folder);
    let on_path = |program: &str| environment.find_program(program).is_some();
    detect::detect(
        folder,
        &Options {
            language: detect::guess_language(folder),
            on_path: &on_path,
        },
    )
}

/// A command that someone configured.
pub(crate) fn configured(command: &str) -> Candidate {
    Candidate {
        command: command.to_owned(),
        source: Source::LanguageDefault,
        reason: "baton's configuration says so".to_owned(),
        fallbacks: Vec::new(),
    }
}

/// Runs a command in the workspace; another one in its place where this machine
/// does not have it.
pub(crate) async fn run(
    errand: &Errand<'_>,
    folder: &Path,
    candidate: &Candidate,
    variables: &[(&str, String)],
) -> Result<Ran, Setback> {
    let mut ran = run_one(errand, folder, &candidate.command, variables).await?;
    for fallback in &candidate.fallbacks {
        let is_missing = ran.outcome.shell_verdict() == Some(ShellVerdict::NotFound);
        if is_missing && fallback.when == FallbackWhen::NotFound {
            ran = run_one(errand, folder, &fallback.command, variables).await?;
        }
    }
    Ok(ran)
}

async fn run_one(
    errand: &Errand<'_>,
    folder: &Path,
    command: &str,
    variables: &[(&str, String)],
) -> Result<Ran, Setback> {
    let context = errand.context;
    context.say(&format!("$ {command}"));
    let environment = environment(errand, folder).await?;
    let finished = cmd(errand, folder, command, &environment, variables)
        .run_observed(&context.cancel, &mut |_| context.tick())
        .await?;
    errand.go_on()?;
    // Some tools, such as Maven, colour what they print whatever they are told.
    let said = plain_text(&finished.stdout.text());
    let start = said.ceil_char_boundary(said.len().saturating_sub(SAID));
    Ok(Ran {
        command: command.to_owned(),
        outcome: finished.outcome,
        said: said[start..].trim().to_owned(),
    })
}

pub(crate) fn cmd(
    errand: &Errand<'_>,
    folder: &Path,
    command: &str,
    environment: &Environment,
    variables: &[(&str, String)],
) -> Cmd {
    let place = errand.place;
    let cmd = Cmd::shell(command, folder, environment)
        .merged()
        .capture(CAPTURE)
        .mark(&mark(errand))
        .wall_limit(place.settings.command_limit)
        // What asks a person would wait for ever.
        .env("CI", "1")
        .env("NO_COLOR", "1");
    variables
        .iter()
        .fold(cmd, |cmd, (name, value)| cmd.env(*name, value))
}

/// What the project's commands see in the workspace of the run, in the sandbox of
/// the step.
pub(crate) async fn environment(
    errand: &Errand<'_>,
    workspace: &Path,
) -> Result<Environment, Setback> {
    let variables = variables(errand, workspace);
    errand.commands.wrap(errand, workspace, &variables).await
}

/// The same variables for baton's own programs.
pub(crate) fn variables(errand: &Errand<'_>, workspace: &Path) -> Environment {
    RunEnvironment::find(errand, workspace).for_workspace(&errand.place.environment)
}

/// What a coding agent sees there.
pub(crate) fn agent_environment(errand: &Errand<'_>, workspace: &Path) -> Environment {
    RunEnvironment::find(errand, workspace).for_workspace(&errand.place.agent_environment)
}

/// What all commands of a step carry.
pub(crate) fn mark(errand: &Errand<'_>) -> String {
    format!("step:{}", errand.call.key)
}
