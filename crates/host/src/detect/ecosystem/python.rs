//! Python.

use baton_protocol::Language;
use baton_protocol::detection::{
    Candidate, Framework, PackageManager, PackageManagerName, Purpose, Source, TestingCommands,
};
use serde_json::Value;

use super::{Findings, framework, frameworks_of_dependencies, package_manager};
use crate::detect::parse;
use crate::detect::project_files::ProjectFiles;
use crate::detect::proposal::{Proposal, Surroundings, WithFallback, candidate};
use PackageManagerName::{Pdm, Pip, Pipenv, Poetry, Uv};

const FRAMEWORKS: [(&str, &str); 5] = [
    ("pytest", "pytest"),
    ("nose2", "nose2"),
    ("nose", "nose"),
    ("hypothesis", "hypothesis"),
    ("robotframework", "robotframework"),
];

const TEST_FALLBACKS: [&str; 2] = ["python -m pytest", "python -m unittest discover"];

/// Whether a pyproject.toml has `[tool.pytest]` or `[tool.pytest.ini_options]`.
pub(in crate::detect) fn pyproject_configures_pytest(files: &ProjectFiles, path: &str) -> bool {
    files
        .toml(path)
        .is_some_and(|pyproject| pyproject.pointer("/tool/pytest").is_some())
}

pub(super) fn findings(surroundings: Surroundings<'_>) -> Findings {
    let files = surroundings.files;
    let environment = Environment::of_project(surroundings);
    let test = tests(files, &environment);
    let mut proposals = tools(files, &environment);
    proposals.extend(environment.install(files));
    for candidate in &test {
        proposals.push(Proposal::of_candidate(Purpose::Test, candidate.clone()));
    }
    Findings {
        package_manager: environment.package_manager,
        proposals,
        testing: TestingCommands {
            test,
            build: None,
            forced_build: None,
        },
        frameworks: frameworks(files),
        suggestion: environment.suggestion.to_owned(),
    }
}

/// The virtual environment that the project's package manager keeps.
struct Environment {
    package_manager: Option<PackageManager>,
    /// `uv run` and the like, where the program is installed; a tool outside
    /// the environment would not see the project's dependencies.
    prefix: Option<&'static str>,
    suggestion: &'static str,
}

struct Tool {
    name: PackageManagerName,
    program: &'static str,
    files: &'static [&'static str],
    /// A table of pyproject.toml that only this tool reads.
    table: &'static str,
    prefix: Option<&'static str>,
    suggestion: &'static str,
}

const TOOLS: [Tool; 5] = [
    Tool {
        name: Uv,
        program: "uv",
        files: &["uv.lock"],
        table: "/tool/uv",
        prefix: Some("uv run"),
        suggestion: "Install uv (https://docs.astral.sh/uv), then run: uv sync && uv pip install pytest",
    },
    Tool {
        name: Poetry,
        program: "poetry",
        files: &["poetry.lock"],
        table: "/tool/poetry",
        prefix: Some("poetry run"),
        suggestion: "Install poetry (pipx install poetry), then run: poetry install (it must bring pytest)",
    },
    Tool {
        name: Pdm,
        program: "pdm",
        files: &["pdm.lock"],
        table: "/tool/pdm",
        prefix: Some("pdm run"),
        suggestion: "Install pdm (pipx install pdm), then run: pdm install (it must bring pytest)",
    },
    Tool {
        name: Pipenv,
        program: "pipenv",
        files: &["Pipfile.lock", "Pipfile"],
        table: "",
        prefix: Some("pipenv run"),
        suggestion: "Install pipenv (pip install pipenv), then run: pipenv install --dev (it must bring pytest)",
    },
    Tool {
        name: Pip,
        program: "pip",
        files: &["requirements.txt"],
        table: "",
        prefix: None,
        suggestion: "Install dependencies with: pip install -r requirements.txt pytest",
    },
];

impl Environment {
    fn of_project(surroundings: Surroundings<'_>) -> Self {
        let files = surroundings.files;
        let pyproject = files.toml("pyproject.toml");
        let has_table = |table: &str| {
            !table.is_empty()
                && pyproject
                    .as_ref()
                    .is_some_and(|document| document.pointer(table).is_some())
        };
        let by_file = TOOLS
            .iter()
            .find_map(|tool| Some((tool, format!("there is {}", files.first(tool.files)?))));
        let by_table = || {
            let tool = TOOLS.iter().find(|tool| has_table(tool.table))?;
            Some((tool, format!("pyproject.toml configures {}", tool.program)))
        };
        // A requirements file next to a configured tool is usually an export.
        let found = match by_file {
            Some((tool, _)) if tool.name == Pip => by_table().or(by_file),
            None => by_table(),
            by_file => by_file,
        };
        let Some((tool, reason)) = found else {
            return Self {
                package_manager: None,
                prefix: None,
                suggestion: "Install pytest with: pip install pytest",
            };
        };
        let prefix = tool.prefix.filter(|_| (surroundings.on_path)(tool.program));
        if tool.prefix.is_some() && prefix.is_none() {
            files.note(
                "",
                format!(
                    "{reason}, but {} is not installed; commands run outside its environment",
                    tool.program
                ),
            );
        }
        Self {
            package_manager: Some(package_manager(tool.name, reason)),
            prefix,
            suggestion: tool.suggestion,
        }
    }

    fn run(&self, command: &str) -> String {
        match self.prefix {
            Some(prefix) => format!("{prefix} {command}"),
            None => command.to_owned(),
        }
    }

    fn install(&self, files: &ProjectFiles) -> Option<Proposal> {
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

/// Test configuration, then the default. Both phases resolve alike here; only
/// a task runner may come before this in validation.
fn tests(files: &ProjectFiles, environment: &Environment) -> Vec<Candidate> {
    let mut test = Vec::new();
    let pytest = environment.run("pytest");
    if let Some(file) = pytest_configuration(files) {
        test.push(with_fallbacks(
            candidate(
                pytest,
                Source::Configuration {
                    file: file.to_owned(),
                },
                format!("{file} configures pytest"),
            ),
            environment,
        ));
    } else {
        if let Some(file) = files.first(&["nose2.cfg", "unittest.cfg"]) {
            test.push(candidate(
                environment.run("nose2"),
                Source::Configuration {
                    file: file.to_owned(),
                },
                format!("{file} configures nose2"),
            ));
        }
        let reason = "default of the language; no file configures pytest";
        test.push(with_fallbacks(
            candidate(pytest, Source::LanguageDefault, reason),
            environment,
        ));
        if files.has("manage.py") {
            test.push(candidate(
                environment.run("python manage.py test"),
                Source::Configuration {
                    file: "manage.py".to_owned(),
                },
                "manage.py runs Django's tests",
            ));
        }
    }
    test
}

fn with_fallbacks(test: Candidate, environment: &Environment) -> Candidate {
    let test = match environment.prefix {
        Some(_) => test.or("pytest"),
        None => test,
    };
    test.or_each(&TEST_FALLBACKS)
}

fn pytest_configuration(files: &ProjectFiles) -> Option<&'static str> {
    if let Some(file) = files.first(&["pytest.ini", ".pytest.ini", "pytest.toml"]) {
        return Some(file);
    }
    if pyproject_configures_pytest(files, "pyproject.toml") {
        return Some("pyproject.toml");
    }
    if has_ini_section(files, "tox.ini", "pytest") {
        return Some("tox.ini");
    }
    if has_ini_section(files, "setup.cfg", "tool:pytest") {
        return Some("setup.cfg");
    }
    files.first(&["conftest.py"])
}

fn has_ini_section(files: &ProjectFiles, file: &str, section: &str) -> bool {
    files
        .text(file)
        .is_some_and(|text| parse::ini(&text).has_section(section))
}

/// Formatters and linters: those that the project configures, then defaults.
fn tools(files: &ProjectFiles, environment: &Environment) -> Vec<Proposal> {
    let pyproject = files.toml("pyproject.toml");
    let has_table = |table: &str| {
        pyproject
            .as_ref()
            .is_some_and(|document| document.pointer(table).is_some())
    };
    let ruff = files
        .first(&["ruff.toml", ".ruff.toml"])
        .or_else(|| has_table("/tool/ruff").then_some("pyproject.toml"));
    let black = has_table("/tool/black").then_some("pyproject.toml");
    let mut proposals = Vec::new();
    let mut configured = |purpose, command: &str, file: &str, tool: &str| {
        let reason = format!("{file} configures {tool}");
        proposals.push(
            Proposal::configured(purpose, environment.run(command), file, reason).or(command),
        );
    };
    // A project with both uses ruff to lint and black to format.
    if let Some(file) = black {
        configured(Purpose::Format, "black .", file, "black");
        configured(Purpose::FormatFix, "black .", file, "black");
    }
    if let Some(file) = ruff {
        configured(Purpose::Format, "ruff format .", file, "ruff");
        configured(Purpose::FormatFix, "ruff format .", file, "ruff");
        configured(Purpose::Lint, "ruff check .", file, "ruff");
        configured(Purpose::LintFix, "ruff check --fix .", file, "ruff");
    }
    if let Some(file) = flake8_configuration(files) {
        configured(Purpose::Lint, "flake8", file, "flake8");
    }
    let pylint = files
        .first(&[".pylintrc", "pylintrc"])
        .or_else(|| has_table("/tool/pylint").then_some("pyproject.toml"));
    if let Some(file) = pylint {
        configured(Purpose::Lint, "pylint .", file, "pylint");
    }
    for (purpose, command) in [
        (Purpose::Format, "black ."),
        (Purpose::FormatFix, "black ."),
        (Purpose::Lint, "ruff check ."),
        (Purpose::LintFix, "ruff check --fix ."),
    ] {
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

fn flake8_configuration(files: &ProjectFiles) -> Option<&'static str> {
    files.first(&[".flake8"]).or_else(|| {
        ["setup.cfg", "tox.ini"]
            .into_iter()
            .find(|file| has_ini_section(files, file, "flake8"))
    })
}

fn frameworks(files: &ProjectFiles) -> Vec<Framework> {
    let mut found = Vec::new();
    if let Some(file) = pytest_configuration(files) {
        found.push(framework(
            Language::Python,
            "pytest",
            format!("{file} configures it"),
        ));
    }
    for (file, dependencies) in dependencies(files) {
        let names = dependencies.iter().map(String::as_str);
        for candidate in frameworks_of_dependencies(Language::Python, file, names, &FRAMEWORKS) {
            if found
                .iter()
                .all(|known: &Framework| known.name != candidate.name)
            {
                found.push(candidate);
            }
        }
    }
    if found.is_empty() {
        found.push(framework(
            Language::Python,
            "unittest",
            "it belongs to the standard library, and no other framework is named",
        ));
    }
    found
}

/// What each file says the project depends on.
fn dependencies(files: &ProjectFiles) -> Vec<(&'static str, Vec<String>)> {
    const REQUIREMENTS: [&str; 4] = [
        "requirements.txt",
        "requirements-dev.txt",
        "requirements-test.txt",
        "dev-requirements.txt",
    ];
    let mut found: Vec<(&'static str, Vec<String>)> = REQUIREMENTS
        .into_iter()
        .filter_map(|file| Some((file, parse::requirements(&files.text(file)?))))
        .collect();
    if let Some(pyproject) = files.toml("pyproject.toml") {
        found.push(("pyproject.toml", pyproject_dependencies(&pyproject)));
    }
    found
}

fn pyproject_dependencies(pyproject: &Value) -> Vec<String> {
    let lists = pyproject
        .pointer("/project/dependencies")
        .into_iter()
        .chain(
            ["/project/optional-dependencies", "/dependency-groups"]
                .into_iter()
                .filter_map(|table| pyproject.pointer(table)?.as_object())
                .flat_map(|groups| groups.values()),
        );
    let listed = lists
        .filter_map(Value::as_array)
        .flatten()
        .filter_map(Value::as_str)
        .filter_map(parse::requirement_name);
    let poetry = [
        "/tool/poetry/dependencies",
        "/tool/poetry/dev-dependencies",
        "/tool/poetry/group/dev/dependencies",
        "/tool/poetry/group/test/dependencies",
    ]
    .into_iter()
    .filter_map(|table| pyproject.pointer(table)?.as_object())
    .flat_map(|table| {
        table
            .keys()
            .filter_map(|name| parse::requirement_name(name))
    });
    listed.chain(poetry).take(parse::MAX_ENTRIES).collect()
}
