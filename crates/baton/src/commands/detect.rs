//! `baton detect`: which tools a project has.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use baton_host::cmd::Environment;
use baton_ops::project::detect_project;
use baton_protocol::Language;
use baton_protocol::detection::{
    Candidate, Commands, Decision, LanguageCommands, Package, Project, Purpose,
};

use crate::config::Config;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::session::Session;
use crate::settings;
use crate::terminal::{self, Style, sanitize};

/// Show which language, tools and commands a project has, and why
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The project's folder
    #[arg(default_value = ".")]
    folder: PathBuf,

    /// Take this language instead of looking for one
    #[arg(long)]
    language: Option<Language>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let folder = Session::working_directory()?.join(&args.folder);
    if !folder.is_dir() {
        return Err(CommandError::missing(format!(
            "{} is no folder",
            sanitize(&args.folder.to_string_lossy())
        ))
        .hint("Name the folder of a project, or none for this one."));
    }
    let folder = super::test::project_folder(&folder)?;
    let config = session.config()?;
    let project = project(&folder, args.language, &session.environment, &config);
    terminal::result(&if args.json {
        let text = serde_json::to_string_pretty(&project).expect("a project is plain data");
        format!("{text}\n")
    } else {
        as_text(&project)
    })?;
    let is_known = project.language().is_some() || project.tasks.is_some();
    Ok(if is_known { Exit::Done } else { Exit::Failed })
}

/// What detection finds, with the commands of baton's own configuration first.
pub(crate) fn project(
    folder: &Path,
    language: Option<Language>,
    environment: &Environment,
    config: &Config,
) -> Project {
    let settings = settings::from_config(config, environment);
    detect_project(folder, language, environment, &settings.commands)
}

fn as_text(project: &Project) -> String {
    let mut text = Text::default();
    text.decision(project);
    for commands in &project.languages {
        text.commands(commands);
    }
    if let Some(tasks) = &project.tasks {
        text.heading("Commands of the project's own tasks", false);
        text.purposes(tasks);
    }
    text.heading("Frameworks", project.frameworks.is_empty());
    for framework in &project.frameworks {
        text.row(&framework.name, "", &framework.evidence);
    }
    for workspace in &project.workspaces {
        text.heading(
            &format!("Packages, listed in {}", workspace.source),
            workspace.packages.is_empty(),
        );
        for package in &workspace.packages {
            text.package(package);
        }
    }
    text.heading(
        "What CI runs (a hint, never chosen)",
        project.hints.is_empty(),
    );
    for hint in &project.hints {
        text.row("", &hint.command, &hint.file);
    }
    text.heading("Notes", project.notes.is_empty());
    for note in &project.notes {
        text.row("", &note.message, "");
    }
    text.0
}

#[derive(Default)]
struct Text(String);

impl Text {
    fn line(&mut self, line: &str) {
        writeln!(self.0, "{line}").expect("a string takes all text");
    }

    fn heading(&mut self, title: &str, empty: bool) {
        if !empty {
            self.line("");
            self.line(&Style::Heading.paint(sanitize(title)));
        }
    }

    fn row(&mut self, label: &str, content: &str, reason: &str) {
        let mut line = format!("  {:<10} ", sanitize(label));
        line.push_str(&sanitize(content).replace('\n', " "));
        if !reason.is_empty() {
            let reason = Style::Dim.paint(format_args!("# {}", sanitize(reason)));
            if !content.is_empty() {
                line.push_str("  ");
            }
            line.push_str(&reason);
        }
        self.line(line.trim_end());
    }

    fn decision(&mut self, project: &Project) {
        match &project.decision {
            Decision::Given { language } => self.line(&format!("Language: {language} (as given)")),
            Decision::Detected {
                language,
                confidence,
                because,
            } => self.line(&format!(
                "Language: {} (confidence {confidence}): {}",
                Style::Good.paint(language),
                sanitize(because)
            )),
            Decision::Ambiguous { candidates } => {
                let names: Vec<_> = candidates.iter().map(|l| l.name()).collect();
                self.line(&format!(
                    "Language: {} between {}; say which with --language",
                    Style::Bad.paint("ambiguous"),
                    names.join(" and ")
                ));
            }
            Decision::NotFound if project.tasks.is_some() => {
                self.line("Language: not found; the project's own tasks are used");
            }
            Decision::NotFound => self.line(&format!(
                "Language: {}; say which with --language",
                Style::Bad.paint("not found")
            )),
        }
        for indicator in &project.indicators {
            self.row(
                "",
                &indicator.file,
                &format!(
                    "{}, {}: {}",
                    indicator.language, indicator.confidence, indicator.reason
                ),
            );
        }
    }

    fn commands(&mut self, commands: &LanguageCommands) {
        if let Some(manager) = &commands.package_manager {
            let name = serde_json::to_value(manager.name).unwrap_or_default();
            self.line(&format!(
                "Package manager: {}: {}",
                name.as_str().unwrap_or_default(),
                sanitize(&manager.reason)
            ));
        }
        self.heading(&format!("Commands for {}", commands.language), false);
        self.purposes(&commands.validation);
        let testing = &commands.testing;
        self.heading("Testing phase", false);
        if let Some(build) = &testing.build {
            self.candidate("build", build);
        }
        for (rank, candidate) in testing.test.iter().enumerate() {
            self.candidate(if rank == 0 { "test" } else { "  else" }, candidate);
        }
    }

    fn purposes(&mut self, commands: &Commands) {
        for purpose in Purpose::ALL {
            for (rank, candidate) in commands.for_purpose(purpose).iter().enumerate() {
                let label = if rank == 0 { purpose.name() } else { "  else" };
                self.candidate(label, candidate);
            }
        }
    }

    fn candidate(&mut self, label: &str, candidate: &Candidate) {
        self.row(label, &candidate.command, &candidate.reason);
        for fallback in &candidate.fallbacks {
            self.row("", &fallback.command, "when the one above is not there");
        }
    }

    fn package(&mut self, package: &Package) {
        let language = package.language.map_or("", Language::name);
        self.row(language, &package.path, &package.name);
        for command in &package.commands {
            self.row("", &format!("  {}", command.command), "");
        }
    }
}
