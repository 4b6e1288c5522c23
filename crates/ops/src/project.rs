//! What kind of project a folder holds.

use std::path::Path;

use baton_host::cmd::Environment;
use baton_host::detect;
use baton_protocol::Language;
use baton_protocol::detection::{Candidate, LanguageCommands, Note, Project, Purpose, Source};
use baton_protocol::tools::detect_project::DetectProjectInput;

use crate::blocking::blocking;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};
use crate::plain_text;
use crate::settings::ConfiguredCommand;

pub struct DetectProject;

impl Operation for DetectProject {
    const META: Meta = Meta {
        name: "detect_project",
        title: "Detect a project's tools",
        about: "Show which language, tools and commands a project has, and why",
        description: "Looks at a project's files and tells its language, frameworks, packages and \
            the commands that install, format, lint, build and test it, each with the reason. \
            Call it before you work on a project that you do not know. Runs nothing.",
        input: "detect_project.input",
        output: "detect.output",
        effects: Effects::READ_ONLY,
        may_last: operation::never,
    };
    type Input = DetectProjectInput;
    type Output = Project;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let given = input.folder.as_deref().unwrap_or(".");
        let folder = cx.provider.folder().join(given);
        if !folder.is_dir() {
            return Err(OpError::refused(
                format!("{} is no folder", plain_text(given)),
                "Give the absolute path of a project's folder on this machine.",
            ));
        }
        let commands = cx.provider.settings(&folder)?.commands;
        let environment = cx.environment.clone();
        blocking(move || detect_project(&folder, input.language, &environment, &commands)).await
    }
}

/// What detection finds, with the configured commands first.
pub fn detect_project(
    folder: &Path,
    language: Option<Language>,
    environment: &Environment,
    configured: &[ConfiguredCommand],
) -> Project {
    let activated = detect::activated(folder, environment);
    let on_path = |program: &str| activated.find_program(program).is_some();
    let options = detect::Options {
        language,
        on_path: &on_path,
        by_sources: true,
    };
    let mut project = detect::detect(folder, &options);
    project
        .notes
        .extend(virtual_environment_note(folder, environment));
    for commands in &mut project.languages {
        for command in configured {
            apply(commands, command);
        }
    }
    project
}

fn virtual_environment_note(folder: &Path, environment: &Environment) -> Option<Note> {
    let own = detect::virtual_environment(folder, environment)?;
    let name = own.file_name()?.to_str()?;
    Some(Note {
        file: name.to_owned(),
        message: format!("commands run in the virtual environment {name}"),
    })
}

fn apply(commands: &mut LanguageCommands, configured: &ConfiguredCommand) {
    let candidate = Candidate {
        command: configured.command.clone(),
        source: Source::Task {
            file: configured.source.clone(),
            key: configured.key.to_owned(),
        },
        reason: "baton's configuration says so".to_owned(),
        fallbacks: Vec::new(),
    };
    if configured.purpose == Purpose::Test {
        commands.testing.test.insert(0, candidate.clone());
    }
    if configured.purpose == Purpose::Build {
        commands.testing.build = Some(candidate.clone());
        commands.testing.forced_build = Some(candidate.clone());
    }
    let candidates = commands.validation.for_purpose_mut(configured.purpose);
    candidates.insert(0, candidate);
}
