//! Detects the package manager and virtual environment of a Python project.

use baton_protocol::detection::{PackageManager, PackageManagerName, Purpose};

use crate::detect::ecosystem::package_manager;
use crate::detect::project_files::ProjectFiles;
use crate::detect::proposal::{Proposal, Surroundings};
use PackageManagerName::{Pdm, Pip, Pipenv, Poetry, Uv};

/// The virtual environment that the project's package manager keeps.
pub(super) struct Environment {
    pub(super) package_manager: Option<PackageManager>,
    /// `uv run` and the like, where the program is installed; a tool outside
    /// the environment would not see the project's dependencies.
    pub(super) prefix: Option<&'static str>,
    pub(super) suggestion: &'static str,
}

struct Tool {
    name: PackageManagerName,
    program: &'static str,
    lockfile: Option<&'static str>,
    /// What shows that the tool is in use where there is no lockfile: a table
    /// of pyproject.toml, or a file.
    trace: Trace,
    prefix: Option<&'static str>,
    suggestion: &'static str,
}

enum Trace {
    Table(&'static str),
    File(&'static str),
}

const TOOLS: [Tool; 5] = [
    Tool {
        name: Uv,
        program: "uv",
        lockfile: Some("uv.lock"),
        trace: Trace::Table("/tool/uv"),
        // Without `--frozen` a test run could rewrite the lockfile.
        prefix: Some("uv run --frozen"),
        suggestion: "Install uv (https://docs.astral.sh/uv), then run: uv sync && uv pip install pytest",
    },
    Tool {
        name: Poetry,
        program: "poetry",
        lockfile: Some("poetry.lock"),
        trace: Trace::Table("/tool/poetry"),
        prefix: Some("poetry run"),
        suggestion: "Install poetry (pipx install poetry), then run: poetry install (it must bring pytest)",
    },
    Tool {
        name: Pdm,
        program: "pdm",
        lockfile: Some("pdm.lock"),
        trace: Trace::Table("/tool/pdm"),
        prefix: Some("pdm run"),
        suggestion: "Install pdm (pipx install pdm), then run: pdm install (it must bring pytest)",
    },
    Tool {
        name: Pipenv,
        program: "pipenv",
        lockfile: Some("Pipfile.lock"),
        trace: Trace::File("Pipfile"),
        prefix: Some("pipenv run"),
        suggestion: "Install pipenv (pip install pipenv), then run: pipenv install --dev (it must bring pytest)",
    },
    Tool {
        name: Pip,
        program: "pip",
        lockfile: None,
        trace: Trace::File("requirements.txt"),
        prefix: None,
        suggestion: "Install dependencies with: pip install -r requirements.txt pytest",
    },
];

impl Environment {
    pub(super) fn for_project(surroundings: Surroundings<'_>) -> Self {
        let files = surroundings.files;
        let locked = TOOLS.iter().find_map(|tool| {
            let lockfile = tool.lockfile.filter(|file| files.has(file))?;
            Some((tool, lockfile))
        });
        if let Some((tool, lockfile)) = locked {
            let reason = format!("there is {lockfile}");
            return Self {
                package_manager: Some(package_manager(tool.name, reason)),
                prefix: prefix(surroundings, tool, lockfile),
                suggestion: tool.suggestion,
            };
        }
        // Without a lockfile there may be no environment yet, and entering it
        // would make one.
        let traced = TOOLS
            .iter()
            .find_map(|tool| Some((tool, trace(files, tool)?)));
        match traced {
            Some((tool, reason)) => Self {
                package_manager: Some(package_manager(tool.name, reason)),
                prefix: None,
                suggestion: tool.suggestion,
            },
            None => Self {
                package_manager: None,
                prefix: None,
                suggestion: "Install pytest with: pip install pytest",
            },
        }
    }

    pub(super) fn run(&self, command: &str) -> String {
        match self.prefix {
            Some(prefix) => format!("{prefix} {command}"),
            None => command.to_owned(),
        }
    }

    pub(super) fn install(&self, files: &ProjectFiles) -> Option<Proposal> {
        let manager = self.package_manager.as_ref().map(|manager| manager.name);
        let (command, file) = match manager {
            Some(Uv) if files.has("uv.lock") => ("uv sync --frozen", "uv.lock"),
            Some(Uv) => ("uv sync", "pyproject.toml"),
            Some(Poetry) => ("poetry install", "pyproject.toml"),
            Some(Pdm) if files.has("pdm.lock") => ("pdm install --frozen-lockfile", "pdm.lock"),
            Some(Pdm) => ("pdm install", "pyproject.toml"),
            Some(Pipenv) if files.has("Pipfile.lock") => ("pipenv sync --dev", "Pipfile.lock"),
            Some(Pipenv) => ("pipenv install --dev", "Pipfile"),
            Some(Pip) => ("pip install -r requirements.txt", "requirements.txt"),
            _ => (
                "pip install -e .",
                files.first(&["pyproject.toml", "setup.py"])?,
            ),
        };
        Some(Proposal::configured(
            Purpose::Install,
            command,
            file,
            format!("{file} lists the dependencies"),
        ))
    }
}

fn prefix(surroundings: Surroundings<'_>, tool: &Tool, lockfile: &str) -> Option<&'static str> {
    let prefix = tool.prefix?;
    if (surroundings.on_path)(tool.program) {
        return Some(prefix);
    }
    surroundings.files.note(
        lockfile,
        format!(
            "there is {lockfile}, but {} is not installed; commands run outside its environment",
            tool.program
        ),
    );
    None
}

fn trace(files: &ProjectFiles, tool: &Tool) -> Option<String> {
    match tool.trace {
        Trace::File(file) => files.has(file).then(|| format!("there is {file}")),
        Trace::Table(table) => {
            let pyproject = files.toml("pyproject.toml")?;
            pyproject
                .pointer(table)
                .map(|_| format!("pyproject.toml configures {}", tool.program))
        }
    }
}
