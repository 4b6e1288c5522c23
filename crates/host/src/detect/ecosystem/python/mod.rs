//! Detects Python projects.

mod environment;
mod tools;

use baton_protocol::Language;
use baton_protocol::detection::{Candidate, Framework, Purpose, Source, TestingCommands};
use serde_json::Value;

use self::environment::Environment;
use super::{Findings, framework, frameworks_of_dependencies};
use crate::detect::parse;
use crate::detect::project_files::ProjectFiles;
use crate::detect::proposal::{Proposal, Surroundings, WithFallback, candidate};

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
    let environment = Environment::for_project(surroundings);
    let test = tests(files, &environment);
    let mut proposals = tools::proposals(files, &environment);
    proposals.extend(environment.install(files));
    for candidate in &test {
        proposals.push(Proposal::from_candidate(Purpose::Test, candidate.clone()));
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
        test.push(default_tests(files, environment));
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

/// pytest finds `test_*.py` and `*_test.py`. Projects that are older than it have all
/// their tests in one file, which has to be named.
fn default_tests(files: &ProjectFiles, environment: &Environment) -> Candidate {
    let holds_tests = |file: &&str| {
        let text = files.text(file).unwrap_or_default();
        text.lines()
            .any(|line| line.trim_start().starts_with("def test"))
    };
    let Some(file) = ["test.py", "tests.py"].into_iter().find(holds_tests) else {
        let reason = "default of the language; no file configures pytest";
        let test = candidate(environment.run("pytest"), Source::LanguageDefault, reason);
        return with_fallbacks(test, environment);
    };
    let pytest = format!("pytest -o 'python_files={file} test_*.py *_test.py'");
    let reason = format!("default of the language; {file} has tests where pytest does not look");
    candidate(environment.run(&pytest), Source::LanguageDefault, reason)
        .or(pytest.clone())
        .or(format!("python -m {pytest}"))
        .or(TEST_FALLBACKS[1])
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

/// The project's dependencies according to each file.
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
