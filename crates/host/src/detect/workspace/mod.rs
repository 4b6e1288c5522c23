//! Monorepos: one module per kind of workspace, all of the same shape.
//! `workspace` returns the packages that the kind's own file lists.

mod cargo;
mod go_work;
mod gradle;
mod maven;
mod members;
mod node;
mod python;

use baton_protocol::Language;
use baton_protocol::detection::{
    Decision, Orchestrator, Package, PackageCommand, Purpose, Workspace,
};

use super::language;
use super::project_files::ProjectFiles;
use super::quote::shell_word;

/// More packages than this are not listed. Large monorepos have hundreds.
const MAX_PACKAGES: usize = 500;

const ORCHESTRATORS: [(&str, &str); 8] = [
    ("nx", "nx.json"),
    ("turbo", "turbo.json"),
    ("turbo", "turbo.jsonc"),
    ("lerna", "lerna.json"),
    ("rush", "rush.json"),
    ("moon", ".moon/workspace.yml"),
    ("pants", "pants.toml"),
    ("bazel", "MODULE.bazel"),
];

pub(super) fn workspaces(files: &ProjectFiles) -> Vec<Workspace> {
    let kinds = [
        node::workspace,
        cargo::workspace,
        go_work::workspace,
        python::workspace,
        maven::workspace,
        gradle::workspace,
    ];
    let mut found: Vec<Workspace> = kinds.into_iter().filter_map(|kind| kind(files)).collect();
    for workspace in &mut found {
        if workspace.packages.len() > MAX_PACKAGES {
            workspace.packages.truncate(MAX_PACKAGES);
            files.note(
                &workspace.source,
                format!(
                    "{} lists more than {MAX_PACKAGES} packages; the rest is left out",
                    workspace.source
                ),
            );
        }
    }
    found
}

pub(super) fn orchestrators(files: &ProjectFiles) -> Vec<Orchestrator> {
    ORCHESTRATORS
        .into_iter()
        .filter(|(_, file)| files.has(file))
        .map(|(name, file)| Orchestrator {
            name: name.to_owned(),
            file: file.to_owned(),
        })
        .collect()
}

/// A package under construction: its commands are added one by one, and all are
/// left out when the name cannot be part of a command.
struct Member<'a> {
    files: &'a ProjectFiles,
    package: Package,
}

impl<'a> Member<'a> {
    fn new(
        files: &'a ProjectFiles,
        path: &str,
        name: Option<&str>,
        language: Option<Language>,
    ) -> Self {
        Self {
            files,
            package: Package {
                path: path.to_owned(),
                name: name.unwrap_or(path).to_owned(),
                language,
                commands: Vec::new(),
            },
        }
    }

    /// `commands` receives the quoted `word` and returns one line per purpose.
    fn with_commands<const N: usize>(
        mut self,
        word: &str,
        commands: impl FnOnce(&str) -> [(Purpose, String); N],
    ) -> Package {
        if let Some(quoted) = shell_word(word) {
            self.package.commands = commands(&quoted)
                .into_iter()
                .map(|(purpose, command)| PackageCommand { purpose, command })
                .collect();
        } else {
            let path = self.package.path.escape_debug().to_string();
            self.files.note(
                &path,
                format!("the package at {path} gets no commands: its name cannot be quoted safely"),
            );
        }
        self.package
    }
}

/// The language of a package, by its own files.
fn language_of(files: &ProjectFiles, folder: &str) -> Option<Language> {
    match language::decide(&language::indicators(files, folder)) {
        Decision::Detected { language, .. } => Some(language),
        _ => None,
    }
}
