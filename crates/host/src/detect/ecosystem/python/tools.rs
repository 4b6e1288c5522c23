//! Formatters and linters of a Python project.

use baton_protocol::detection::Purpose;

use super::environment::Environment;
use super::has_ini_section;
use crate::detect::project_files::ProjectFiles;
use crate::detect::proposal::{Proposal, WithFallback};

struct Tool {
    name: &'static str,
    configuration: fn(&ProjectFiles) -> Option<&'static str>,
    commands: &'static [(Purpose, &'static str)],
}

/// A project with both black and ruff formats with black and lints with ruff.
const TOOLS: [Tool; 4] = [
    Tool {
        name: "black",
        configuration: |files| pyproject_table(files, "/tool/black"),
        commands: &[
            (Purpose::Format, "black ."),
            (Purpose::FormatFix, "black ."),
        ],
    },
    Tool {
        name: "ruff",
        configuration: |files| {
            files
                .first(&["ruff.toml", ".ruff.toml"])
                .or_else(|| pyproject_table(files, "/tool/ruff"))
        },
        commands: &[
            (Purpose::Format, "ruff format ."),
            (Purpose::FormatFix, "ruff format ."),
            (Purpose::Lint, "ruff check ."),
            (Purpose::LintFix, "ruff check --fix ."),
        ],
    },
    Tool {
        name: "flake8",
        configuration: |files| {
            files.first(&[".flake8"]).or_else(|| {
                ["setup.cfg", "tox.ini"]
                    .into_iter()
                    .find(|file| has_ini_section(files, file, "flake8"))
            })
        },
        commands: &[(Purpose::Lint, "flake8")],
    },
    Tool {
        name: "pylint",
        configuration: |files| {
            files
                .first(&[".pylintrc", "pylintrc"])
                .or_else(|| pyproject_table(files, "/tool/pylint"))
        },
        commands: &[(Purpose::Lint, "pylint .")],
    },
];

const DEFAULTS: [(Purpose, &str); 4] = [
    (Purpose::Format, "black ."),
    (Purpose::FormatFix, "black ."),
    (Purpose::Lint, "ruff check ."),
    (Purpose::LintFix, "ruff check --fix ."),
];

pub(super) fn proposals(files: &ProjectFiles, environment: &Environment) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    for tool in &TOOLS {
        let Some(file) = (tool.configuration)(files) else {
            continue;
        };
        for (purpose, command) in tool.commands {
            let reason = format!("{file} configures {}", tool.name);
            let proposal = Proposal::configured(*purpose, environment.run(command), file, reason);
            proposals.push(proposal.or(*command));
        }
    }
    for (purpose, command) in DEFAULTS {
        let reason = "default of the language";
        proposals.push(Proposal::default(purpose, environment.run(command), reason).or(command));
    }
    if files.has("manage.py") {
        proposals.push(Proposal::configured(
            Purpose::Start,
            environment.run("python manage.py runserver"),
            "manage.py",
            "manage.py runs Django",
        ));
    }
    proposals
}

fn pyproject_table(files: &ProjectFiles, table: &str) -> Option<&'static str> {
    const FILE: &str = "pyproject.toml";
    let pyproject = files.toml(FILE)?;
    pyproject.pointer(table).map(|_| FILE)
}
