//! What will be run, decided before anything is.

use std::fs;
use std::path::{Path, PathBuf};

use baton_host::cmd::Environment;
use baton_host::detect::{self, Options};
use baton_protocol::Language;
use baton_protocol::detection::{
    Candidate, Decision, FallbackWhen, Project, Purpose, TestingCommands,
};
use baton_protocol::phase::testing::{BuildCommand, TestingError, TestingInput};

use super::verdict::Verdict;
use super::{Chosen, Narrowing, selection};
use crate::settings::Preferred;

pub(super) struct Plan {
    pub(super) folder: PathBuf,
    /// Unknown only where the command was told, or chosen by someone else.
    pub(super) language: Option<Language>,
    pub(super) language_reason: String,
    /// The command to run and what to run in its stead; never empty.
    pub(super) tests: Vec<TestCommand>,
    pub(super) test_reason: String,
    pub(super) build: Option<Build>,
    /// What to tell a user whose machine lacks the language's tools.
    pub(super) suggestion: String,
    /// What installs the packages that the project needs.
    pub(super) install: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct TestCommand {
    pub(super) command: String,
    /// `None` for the first choice.
    when: Option<FallbackWhen>,
}

impl TestCommand {
    /// Whether it is this one's turn after what became of the one before.
    pub(super) fn applies_after(&self, previous: Option<Verdict>) -> bool {
        match self.when {
            None => true,
            Some(FallbackWhen::NotFound) => previous == Some(Verdict::NotFound),
            Some(FallbackWhen::RaceUnsupported) => previous == Some(Verdict::RaceUnsupported),
        }
    }
}

impl Plan {
    /// Why this one of the commands was run.
    pub(super) fn reason_for(&self, command: &str) -> String {
        let (first, reason) = (&self.tests[0], &self.test_reason);
        let run = self.tests.iter().find(|own| own.command == command);
        let why = match run.and_then(|run| run.when) {
            None => return reason.clone(),
            Some(FallbackWhen::NotFound) => "was not found",
            Some(FallbackWhen::RaceUnsupported) => "cannot be run on this machine",
        };
        format!(
            "{reason}, but `{}` {why}; `{command}` was run instead",
            first.command
        )
    }
}

#[derive(Clone, Debug)]
pub(super) struct Build {
    pub(super) command: String,
    /// Where the command itself is not there.
    pub(super) fallback: Option<String>,
}

/// Why nothing is run.
pub(super) struct Refusal {
    pub(super) language: Option<Language>,
    pub(super) errors: Vec<TestingError>,
}

pub(super) fn make(
    input: &TestingInput,
    environment: &Environment,
    options: &super::Options,
) -> Result<Plan, Refusal> {
    let preferred = &options.preferred;
    let input = &without_blank_commands(input);
    let folder = PathBuf::from(&input.working_directory);
    let refuse = |error| Refusal {
        language: input.language,
        errors: vec![error],
    };
    match fs::metadata(&folder) {
        Ok(facts) if facts.is_dir() => {}
        Ok(_) => {
            return Err(refuse(TestingError::working_directory(
                &input.working_directory,
                true,
            )));
        }
        Err(_) => {
            return Err(refuse(TestingError::working_directory(
                &input.working_directory,
                false,
            )));
        }
    }
    let on_path = |program: &str| environment.find_program(program).is_some();
    let project = detect::detect(
        &folder,
        &Options {
            language: input.language,
            on_path: &on_path,
            by_sources: options.by_sources,
        },
    );
    let language = project
        .language()
        .or_else(|| language_of_command(input, preferred, &project));
    // The language is needed to find a command; one that is told needs none.
    let is_told = input.test_command.is_some() || preferred.test.is_some();
    let task = project
        .tasks
        .as_ref()
        .and_then(|tasks| tasks.first(Purpose::Test));
    if language.is_none() && !is_told && task.is_none() {
        let found = project.found().into_iter().map(str::to_owned);
        return Err(Refusal {
            language: None,
            errors: vec![TestingError::language_detection_failed(
                &input.working_directory,
                &found.collect::<Vec<_>>(),
            )],
        });
    }
    let commands = language.and_then(|language| project.commands(language));
    let testing = commands.map(|c| &c.testing);
    let own = testing.and_then(|testing| testing.test.first()).or(task);
    let (tests, test_reason) = tests(input, own, preferred);
    let tests = narrowed(tests, &folder, &options.narrowing).map_err(refuse)?;
    Ok(Plan {
        language,
        language_reason: language_reason(&project),
        tests,
        test_reason,
        build: build(input, testing, preferred),
        install: commands.and_then(|commands| {
            let install = commands.validation.first(Purpose::Install)?;
            Some(install.command.clone())
        }),
        suggestion: match (commands, language) {
            (Some(commands), _) => commands.suggestion.clone(),
            (None, Some(_)) => String::new(),
            (None, None) => INSTALL_IT.to_owned(),
        },
        folder,
    })
}

fn narrowed(
    tests: Vec<TestCommand>,
    folder: &Path,
    narrowing: &Narrowing,
) -> Result<Vec<TestCommand>, TestingError> {
    let add = |test: TestCommand| {
        let command = selection::narrowed(&test.command, folder, narrowing);
        command
            .map(|command| TestCommand { command, ..test })
            .ok_or(test.command)
    };
    let tests: Result<Vec<TestCommand>, String> = tests.into_iter().map(add).collect();
    tests.map_err(|command| TestingError::filter_unknown(&command))
}

/// A blank command asks for nothing in particular; a shell would call it a success.
fn without_blank_commands(input: &TestingInput) -> TestingInput {
    let mut input = input.clone();
    input
        .test_command
        .take_if(|command| command.trim().is_empty());
    if matches!(&input.build_command, BuildCommand::Given(command) if command.trim().is_empty()) {
        input.build_command = BuildCommand::Auto;
    }
    input
}

/// Of several languages that fit, the one of the test command that was given.
fn language_of_command(
    input: &TestingInput,
    preferred: &Preferred,
    project: &Project,
) -> Option<Language> {
    let Decision::Ambiguous { candidates } = &project.decision else {
        return None;
    };
    let command = input.test_command.as_ref().or(preferred.test.as_ref())?;
    let program = command.split_whitespace().next()?.rsplit('/').next()?;
    let fits = |language: &&Language| programs(**language).contains(&program);
    candidates.iter().find(fits).copied()
}

/// Programs that test nothing but projects in this language.
fn programs(language: Language) -> &'static [&'static str] {
    match language {
        Language::JavaScript | Language::TypeScript => &[
            "npm", "npx", "yarn", "pnpm", "bun", "node", "jest", "vitest", "mocha", "ava", "deno",
        ],
        Language::Python => &[
            "pytest", "python", "python3", "py.test", "tox", "nox", "uv", "poetry", "pdm", "pipenv",
        ],
        Language::Go => &["go", "gotestsum", "ginkgo"],
        Language::Ruby => &["bundle", "rspec", "rake", "ruby", "rails"],
        Language::Rust => &["cargo", "cargo-nextest"],
        Language::Java => &["mvn", "mvnw", "gradle", "gradlew", "java"],
    }
}

/// For a command of which nothing is known.
pub(super) const INSTALL_IT: &str =
    "Install the program that the test command calls, or name another test command.";

/// For a command that was chosen already; it is not built before.
pub(super) fn for_chosen(input: &TestingInput, chosen: Chosen) -> Plan {
    Plan {
        folder: PathBuf::from(&input.working_directory),
        language: chosen.language,
        language_reason: chosen.language_reason,
        tests: with_fallbacks(&chosen.command),
        test_reason: chosen.command.reason,
        build: None,
        install: chosen.install,
        suggestion: chosen.suggestion,
    }
}

fn language_reason(project: &Project) -> String {
    match &project.decision {
        Decision::Detected { because, .. } => because.clone(),
        Decision::Given { .. } => "given by the caller".to_owned(),
        Decision::Ambiguous { .. } => {
            "more than one language fits; the test command decides".to_owned()
        }
        Decision::NotFound if project.tasks.is_some() => {
            "no language was found; the project defines a task that tests".to_owned()
        }
        Decision::NotFound => "no language was found; the test command was given".to_owned(),
    }
}

fn tests(
    input: &TestingInput,
    own: Option<&Candidate>,
    preferred: &Preferred,
) -> (Vec<TestCommand>, String) {
    let only = |command: &str, reason: &str| {
        let only = TestCommand {
            command: command.to_owned(),
            when: None,
        };
        (vec![only], reason.to_owned())
    };
    if let Some(command) = &input.test_command {
        return only(command, "given by the caller");
    }
    if let Some(command) = &preferred.test {
        return only(command, "baton's configuration says so");
    }
    let Some(candidate) = own else {
        return only("false", "no test command is known for the language");
    };
    (with_fallbacks(candidate), candidate.reason.clone())
}

fn with_fallbacks(candidate: &Candidate) -> Vec<TestCommand> {
    let first = TestCommand {
        command: candidate.command.clone(),
        when: None,
    };
    let others = candidate.fallbacks.iter().map(|fallback| TestCommand {
        command: fallback.command.clone(),
        when: Some(fallback.when),
    });
    std::iter::once(first).chain(others).collect()
}

fn build(
    input: &TestingInput,
    testing: Option<&TestingCommands>,
    preferred: &Preferred,
) -> Option<Build> {
    if input.run_build == Some(false) {
        return None;
    }
    let plain = |command: &str| Build {
        command: command.to_owned(),
        fallback: None,
    };
    let from = |candidate: &Candidate| Build {
        command: candidate.command.clone(),
        fallback: candidate.fallbacks.first().map(|f| f.command.clone()),
    };
    match &input.build_command {
        BuildCommand::Skip => None,
        BuildCommand::Given(command) => Some(plain(command)),
        BuildCommand::Auto => match (&preferred.build, input.run_build) {
            (Some(command), _) => Some(plain(command)),
            (None, Some(true)) => testing?.forced_build.as_ref().map(from),
            (None, _) => testing?.build.as_ref().map(from),
        },
    }
}

/// A path as the project's own people write it.
pub(super) fn located(file: &str, folder: &Path) -> String {
    /// Reports about Java know packages, not the folders that hold them.
    const ROOTS: [&str; 4] = [
        "src/test/java",
        "src/test/kotlin",
        "src/integrationTest/java",
        "test",
    ];
    let path = Path::new(file);
    if let Ok(inner) = path.strip_prefix(folder) {
        return inner.to_string_lossy().into_owned();
    }
    if path.is_relative() && !folder.join(path).exists() {
        let root = ROOTS
            .iter()
            .find(|root| folder.join(root).join(path).is_file());
        if let Some(root) = root {
            return format!("{root}/{file}");
        }
    }
    file.strip_prefix("./").unwrap_or(file).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(files: &[&str], command: Option<&str>, preferred: Option<&str>) -> String {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            fs::write(folder.path().join(file), "").unwrap();
        }
        let input = TestingInput {
            test_command: command.map(str::to_owned),
            ..TestingInput::new(folder.path().to_string_lossy())
        };
        let preferred = Preferred {
            test: preferred.map(str::to_owned),
            ..Preferred::default()
        };
        let options = crate::testing::Options {
            preferred,
            ..crate::testing::Options::default()
        };
        match make(&input, &Environment::default(), &options) {
            Ok(plan) => {
                let language = plan.language.map(|language| language.to_string());
                let language = language.as_deref().unwrap_or("unknown");
                let (test, reason) = (&plan.tests[0].command, &plan.test_reason);
                let because = &plan.language_reason;
                format!("{language} ({because}): {test} ({reason})")
            }
            Err(refusal) => refusal.errors[0].message.clone(),
        }
    }

    #[test]
    fn a_command_that_is_told_needs_no_language() {
        let both = ["go.mod", "Cargo.toml"];
        let lines = [
            made(&[], Some("./check"), Some("make test")),
            made(&[], None, Some("make test")),
            made(&["go.mod"], Some(" "), None),
            made(&both, None, Some("make test")),
            made(&both, Some("cargo test --all"), None),
            made(&["go.mod"], None, Some("make test")),
            made(&[], None, None),
            made(&both, None, None),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        unknown (no language was found; the test command was given): ./check (given by the caller)
        unknown (no language was found; the test command was given): make test (baton's configuration says so)
        go (go.mod defines a Go module): go test -race ./... (default of the language)
        unknown (more than one language fits; the test command decides): make test (baton's configuration says so)
        rust (more than one language fits; the test command decides): cargo test --all (given by the caller)
        go (go.mod defines a Go module): make test (baton's configuration says so)
        Cannot detect programming language. Please provide explicit 'language' parameter.
        Cannot detect programming language. Please provide explicit 'language' parameter.
        ");
    }
}
