//! Commands of the project itself: install, generate, build.

use std::path::Path;

use baton_host::Cmd;
use baton_host::cmd::{CaptureLimits, Environment, Outcome, ShellVerdict};
use baton_host::detect::{self, Options};
use baton_ops::plain_text;
use baton_protocol::detection::{Candidate, FallbackWhen, Project, Source};

use crate::AgentStep;
use crate::prep::RunEnvironment;
use crate::step_error::StepError;

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
pub(crate) fn look(step: &AgentStep<'_>, folder: &Path) -> Project {
    let environment = variables(step, folder);
    let on_path = |program: &str| environment.find_program(program).is_some();
    detect::detect(
        folder,
        &Options {
            language: None,
            on_path: &on_path,
            by_sources: true,
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
    step: &AgentStep<'_>,
    folder: &Path,
    candidate: &Candidate,
    variables: &[(&str, String)],
) -> Result<Ran, StepError> {
    let mut ran = run_one(step, folder, &candidate.command, variables).await?;
    for fallback in &candidate.fallbacks {
        let is_missing = ran.outcome.shell_verdict() == Some(ShellVerdict::NotFound);
        if is_missing && fallback.when == FallbackWhen::NotFound {
            ran = run_one(step, folder, &fallback.command, variables).await?;
        }
    }
    Ok(ran)
}

async fn run_one(
    step: &AgentStep<'_>,
    folder: &Path,
    command: &str,
    variables: &[(&str, String)],
) -> Result<Ran, StepError> {
    let context = step.context;
    context.say(&format!("$ {command}"));
    let environment = environment(step, folder).await?;
    let finished = cmd(step, folder, command, &environment, variables)
        .run_observed(&context.cancel, &mut |_| context.tick())
        .await?;
    step.go_on()?;
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
    step: &AgentStep<'_>,
    folder: &Path,
    command: &str,
    environment: &Environment,
    variables: &[(&str, String)],
) -> Cmd {
    let place = step.place;
    let cmd = Cmd::shell(command, folder, environment)
        .merged()
        .capture(CAPTURE)
        .mark(&mark(step))
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
    step: &AgentStep<'_>,
    workspace: &Path,
) -> Result<Environment, StepError> {
    let variables = variables(step, workspace);
    step.commands.wrap(step, workspace, &variables).await
}

/// The same variables for baton's own programs.
pub(crate) fn variables(step: &AgentStep<'_>, workspace: &Path) -> Environment {
    RunEnvironment::find(step, workspace).for_workspace(&step.place.environment)
}

/// What a coding agent sees there.
pub(crate) fn agent_environment(step: &AgentStep<'_>, workspace: &Path) -> Environment {
    RunEnvironment::find(step, workspace).for_workspace(&step.place.agent_environment)
}

/// What all commands of a step carry.
pub(crate) fn mark(step: &AgentStep<'_>) -> String {
    format!("step:{}", step.call.key)
}
