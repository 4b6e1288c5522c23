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
mod task_runner;
mod workspace;

use std::path::Path;

use baton_protocol::Language;
use baton_protocol::detection::{Decision, Framework, Project};

use project_files::ProjectFiles;
use proposal::Surroundings;

/// What the caller knows and the folder does not say.
pub struct Options<'a> {
    /// The language, where the user has named it.
    pub language: Option<Language>,
    /// Whether a program can be started by its bare name.
    pub on_path: &'a dyn Fn(&str) -> bool,
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
        None => language::decide(&indicators),
    };
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
        frameworks,
        workspaces,
        orchestrators,
        hints,
        notes: files.into_notes(),
    }
}

/// The language of a folder without any file that indicates it, by the names of
/// its sources; `None` where the rules of [`detect`] decide.
pub fn guess_language(folder: &Path) -> Option<Language> {
    let files = ProjectFiles::new(folder);
    if !language::indicators(&files, "").is_empty() {
        return None;
    }
    let has = |place: &str, is_meant: fn(&str) -> bool| {
        files.names_in(place).iter().any(|name| is_meant(name))
    };
    let places = |all: &[&'static str], is_meant| all.iter().any(|place| has(place, is_meant));
    let python = places(&["", "tests", "test"], |name| {
        Path::new(name).extension().is_some_and(|end| end == "py")
    });
    let ruby = places(&["spec", "test"], |name| {
        name.ends_with("_spec.rb") || name.ends_with("_test.rb") || name.starts_with("test_")
    });
    match (python, ruby) {
        (true, false) => Some(Language::Python),
        (false, true) => Some(Language::Ruby),
        _ => None,
    }
}

fn wanted(decision: &Decision) -> Vec<Language> {
    match decision {
        Decision::Given { language } | Decision::Detected { language, .. } => vec![*language],
        Decision::Ambiguous { candidates } => candidates.clone(),
        Decision::NotFound => Vec::new(),
    }
}
