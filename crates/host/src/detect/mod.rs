//! What kind of project a folder holds and which commands belong to it, each
//! with the reason. Plain file reads: nothing is started, no link to a folder
//! is followed, and no file can make detection fail.

mod ecosystem;
mod hints;
mod language;
pub mod parse;
mod project_files;
mod proposal;
mod quote;
mod sources;
mod task_runner;
mod virtual_environment;
mod workspace;

use std::path::Path;

use baton_protocol::Language;
use baton_protocol::detection::{Commands, Decision, Framework, Project, Purpose};

pub use virtual_environment::{activated, virtual_environment};

use project_files::ProjectFiles;
use proposal::Surroundings;

/// What the caller knows and the folder does not say.
pub struct Options<'a> {
    /// The language, where the user has named it.
    pub language: Option<Language>,
    /// Whether a program can be started by its bare name.
    pub on_path: &'a dyn Fn(&str) -> bool,
    /// Whether the names of sources and the tasks of make and the like count where no file
    /// indicates a language. The contract of the phases knows only the files.
    pub by_sources: bool,
}

/// Looks at one folder.
pub fn detect(folder: &Path, options: &Options<'_>) -> Project {
    let files = ProjectFiles::new(folder);
    let surroundings = Surroundings {
        files: &files,
        on_path: options.on_path,
    };
    let indicators = language::indicators(&files, "");
    let decision = match options.language {
        Some(language) => Decision::Given { language },
        None => match language::decide(&indicators) {
            Decision::NotFound if options.by_sources => sources::decide(&files),
            decision => decision,
        },
    };
    let has_no_language = matches!(decision, Decision::NotFound) && options.by_sources;
    let tasks = has_no_language
        .then(|| task_runner::tasks(surroundings))
        .flatten();
    let mut frameworks: Vec<Framework> = Vec::new();
    let mut languages = Vec::new();
    for language in wanted(&decision) {
        let survey = ecosystem::survey(surroundings, language);
        frameworks.extend(survey.frameworks);
        languages.push(survey.commands);
    }
    let workspaces = workspace::workspaces(&files);
    let orchestrators = workspace::orchestrators(&files);
    let hints = hints::workflow_steps(&files);
    Project {
        decision,
        indicators,
        languages,
        tasks,
        frameworks,
        workspaces,
        orchestrators,
        hints,
        notes: files.into_notes(),
    }
}

/// The folder of the project that `folder` belongs to: the nearest one in the checkout, from there
/// upwards, with a file that indicates a language or defines a task that tests. `folder` itself
/// where there is none.
pub fn project_folder(folder: &Path) -> &Path {
    let ancestors = || folder.ancestors();
    let Some(checkout) = ancestors().find(|place| place.join(".git").exists()) else {
        return folder;
    };
    ancestors()
        .take_while(|place| place.starts_with(checkout))
        .find(|place| is_project(place))
        .unwrap_or(folder)
}

fn is_project(folder: &Path) -> bool {
    let files = ProjectFiles::new(folder);
    let surroundings = Surroundings {
        files: &files,
        on_path: &|_| false,
    };
    let tests = |tasks: Commands| tasks.first(Purpose::Test).is_some();
    !language::indicators(&files, "").is_empty()
        || task_runner::tasks(surroundings).is_some_and(tests)
}

fn wanted(decision: &Decision) -> Vec<Language> {
    match decision {
        Decision::Given { language } | Decision::Detected { language, .. } => vec![*language],
        Decision::Ambiguous { candidates } => candidates.clone(),
        Decision::NotFound => Vec::new(),
    }
}
