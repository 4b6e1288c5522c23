//! The smallest command that shows a failure here.

use std::path::Path;

use super::found::Found;
use crate::command_line::is_plain;
use crate::testing::selection::reproduction::{reformat, reproduce};

/// Programs that a step of a workflow may have started to test, check or build
/// something. Whatever else a step runs is not repeated.
const PROGRAMS: &[&str] = &[
    "./gradlew",
    "./mvnw",
    "bazel",
    "bun",
    "bundle",
    "cargo",
    "composer",
    "deno",
    "dotnet",
    "go",
    "gradle",
    "hatch",
    "just",
    "make",
    "mix",
    "mvn",
    "nox",
    "npm",
    "npx",
    "pdm",
    "pnpm",
    "poetry",
    "pytest",
    "python",
    "python3",
    "rake",
    "sbt",
    "swift",
    "task",
    "tox",
    "uv",
    "yarn",
];
/// What such a command does when it changes nothing elsewhere.
const DOES: &[&str] = &[
    "test",
    "tests",
    "check",
    "checks",
    "lint",
    "build",
    "compile",
    "verify",
    "fmt",
    "format",
    "typecheck",
    "tsc",
    "vet",
    "pytest",
    "jest",
    "vitest",
    "mocha",
    "rspec",
    "clippy",
    "eslint",
    "nextest",
    "spec",
];

/// The words of the command, where it is sure what they are.
pub(super) fn derive(found: &Found) -> Option<Vec<String>> {
    let framework = match found.framework.split_once('+') {
        None if !matches!(found.framework.as_str(), "" | "junit") => Some(found.framework.as_str()),
        // Where several ran, the failure may be of any.
        _ => guessed(found),
    };
    framework
        .and_then(|framework| reproduce(framework, &found.failure))
        .or_else(|| from_step(found.step.as_deref()?))
}

/// The command that puts it right, where nothing else is wrong.
pub(super) fn fix(found: &Found) -> Option<Vec<String>> {
    reformat(&found.framework, &found.failure)
}

/// Names that only one framework gives.
fn guessed(found: &Found) -> Option<&'static str> {
    let name = &found.failure.name;
    let file = found.failure.file.as_deref().unwrap_or_default();
    let is_python = name
        .split("::")
        .next()
        .is_some_and(|path| Path::new(path).extension().is_some_and(|end| end == "py"));
    if is_python && name.contains("::") {
        Some("pytest")
    } else if file.ends_with("_test.go") && name.starts_with("Test") {
        Some("go-test")
    } else if file.ends_with("_spec.rb") {
        Some("rspec")
    } else {
        None
    }
}

/// `Run npm test`: what the step of the workflow ran.
fn from_step(step: &str) -> Option<Vec<String>> {
    let command = step.strip_prefix("Run ")?;
    if !is_plain(command) {
        return None;
    }
    let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    let program = words.first()?.as_str();
    let does = words.iter().any(|word| {
        let mut parts = word.split([':', '-', '_', '.', '/']);
        parts.any(|part| DOES.contains(&part))
    });
    (PROGRAMS.contains(&program) && does).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::shown;
    use crate::pulls::failing_tests::clusters::tests::found;

    fn told(framework: &str, name: &str, step: Option<&str>) -> String {
        let found = Found {
            framework: framework.to_owned(),
            step: step.map(str::to_owned),
            ..found(0, name, "no")
        };
        derive(&found).map_or("nothing".to_owned(), |words| shown(&words))
    }

    #[test]
    fn the_framework_decides() {
        insta::assert_snapshot!(told("pytest", "tests/test_a.py::test_b", Some("Run make test")), @"pytest tests/test_a.py::test_b");
        insta::assert_snapshot!(told("junit", "tests/test_a.py::test_b", None), @"pytest tests/test_a.py::test_b");
        insta::assert_snapshot!(told("", "tests/test_a.py::test_b", None), @"pytest tests/test_a.py::test_b");
    }

    #[test]
    fn where_two_frameworks_ran_the_name_decides() {
        insta::assert_snapshot!(told("pytest+flake8", "tests/test_a.py::test_b", None), @"pytest tests/test_a.py::test_b");
        insta::assert_snapshot!(told("jest+eslint", "eqeqeq", None), @"nothing");
    }

    #[test]
    fn otherwise_the_step_is_repeated_if_it_only_looks() {
        insta::assert_snapshot!(told("", "Run npm test", Some("Run npm test")), @"npm test");
        insta::assert_snapshot!(told("", "x", Some("Run npm run test:unit")), @"npm run test:unit");
        insta::assert_snapshot!(told("", "x", Some("Run make deploy")), @"nothing");
        insta::assert_snapshot!(told("", "x", Some("Run npm test && curl evil")), @"nothing");
        insta::assert_snapshot!(told("", "x", Some("Run ./test.sh")), @"nothing");
        insta::assert_snapshot!(told("", "x", Some("Unit tests")), @"nothing");
    }
}
