//! Why a command could not test anything, where the end of its output proves it, and what to do.

use std::path::Path;

use baton_protocol::Language;

/// A cause that no other try removes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Diagnosis {
    pub(super) cause: &'static str,
    /// The line that proves it.
    pub(super) evidence: String,
    pub(super) remedy: String,
}

/// What is known of the project.
pub(super) struct Project<'a> {
    pub(super) folder: &'a Path,
    pub(super) language: Option<Language>,
    /// The command that installs what the project depends on.
    pub(super) install: Option<&'a str>,
}

pub(super) fn find(tail: &str, project: &Project<'_>) -> Option<Diagnosis> {
    ROWS.iter().find_map(|row| row.find(tail, project))
}

struct Row {
    /// `None`: of any language.
    language: Option<Language>,
    /// A line with one of these is the evidence.
    words: &'static [&'static str],
    cause: &'static str,
    remedy: Remedy,
}

enum Remedy {
    /// The project's own install command, or this one.
    Install(&'static str),
    Do(&'static str),
}

use Remedy::{Do, Install};

const fn row(
    language: Language,
    words: &'static [&'static str],
    cause: &'static str,
    remedy: Remedy,
) -> Row {
    Row {
        language: Some(language),
        words,
        cause,
        remedy,
    }
}

const fn any(words: &'static [&'static str], cause: &'static str, remedy: Remedy) -> Row {
    Row {
        language: None,
        words,
        cause,
        remedy,
    }
}

/// The words of package managers, runners and runtimes themselves. The first row that fits counts.
const ROWS: [Row; 16] = [
    row(
        Language::Ruby,
        &[
            "Could not find gem '",
            "Bundler::GemNotFound",
            "Run `bundle install` to install missing gems",
            " in locally installed gems",
        ],
        "gems that the project needs are not installed",
        Install("bundle install"),
    ),
    row(
        Language::Python,
        &[
            "collected 0 items",
            "no tests ran in ",
            "no tests collected",
        ],
        "pytest found no tests",
        Do(
            "Name files of tests test_*.py or *_test.py, set `python_files` in the configuration of \
             pytest, or name the folder of the tests in the test command.",
        ),
    ),
    row(
        Language::Python,
        &[
            "ModuleNotFoundError: No module named '",
            "ImportError: No module named ",
        ],
        "a package that the project needs is not installed",
        Install("pip install -e ."),
    ),
    row(
        Language::JavaScript,
        &[
            "Missing script: \"",
            "Missing script: ",
            "Couldn't find a script named \"",
        ],
        "package.json has no such script",
        Do("Add the script to package.json, or name another test command."),
    ),
    row(
        Language::JavaScript,
        &[
            "Cannot find module '",
            "Cannot find package '",
            "ERR_MODULE_NOT_FOUND",
            ": not found",
            ": command not found",
        ],
        "the packages of the project are not installed",
        Install("npm install"),
    ),
    row(
        Language::Go,
        &[
            "missing go.sum entry",
            "no required module provides package",
        ],
        "go.mod and go.sum do not list all modules that the code imports",
        Do("Run: go mod tidy"),
    ),
    row(
        Language::Java,
        &["No plugin found for prefix '"],
        "the pom does not configure the plugin of this command",
        Do("Add the plugin to pom.xml, or name another command."),
    ),
    row(
        Language::Java,
        &[
            "Could not resolve dependencies for project",
            "Could not find artifact ",
        ],
        "Maven could not download what the project depends on",
        Do(
            "Check the network and the repositories in settings.xml, then run: mvn dependency:resolve",
        ),
    ),
    row(
        Language::Rust,
        &[
            "error: linker `cc` not found",
            "error: linking with `cc` failed",
        ],
        "there is no working C compiler, which Rust links with",
        Do("Install a C compiler (on Debian: apt-get install gcc)."),
    ),
    any(
        &[
            "EADDRINUSE",
            "Address already in use",
            "address already in use",
        ],
        "a network port that the tests need is in use",
        Do("End the program that listens on that port, or have the tests choose a free one."),
    ),
    any(
        &["No space left on device", "ENOSPC"],
        "the disk is full",
        Do("Free some space on the disk."),
    ),
    any(
        &[
            "Could not resolve host",
            "Temporary failure in name resolution",
            "getaddrinfo ENOTFOUND",
            "getaddrinfo EAI_AGAIN",
        ],
        "the network could not be reached",
        Do("Check the network, or have the tests work without it."),
    ),
    any(
        &[
            "Unsupported engine",
            "The engine \"node\" is incompatible",
            "requires Node.js",
        ],
        "this version of Node.js is too old for the project",
        Do("Install the version that `engines` in package.json asks for."),
    ),
    any(
        &["requires a different Python:", "requires Python "],
        "this version of Python does not fit the project",
        Do("Use the version that `requires-python` asks for."),
    ),
    any(
        &[
            "go: errors parsing go.mod",
            "requires go >= ",
            "invalid go version '",
        ],
        "this version of Go is too old for the project",
        Do("Install the version that go.mod asks for."),
    ),
    any(
        &[
            "requires rustc ",
            "is not supported by the following package",
        ],
        "this version of Rust is too old for the project",
        Do("Install the version that `rust-version` asks for: rustup update"),
    ),
];

impl Row {
    fn find(&self, tail: &str, project: &Project<'_>) -> Option<Diagnosis> {
        let fits = match (self.language, project.language) {
            (None, _) | (Some(Language::JavaScript), Some(Language::TypeScript)) => true,
            (Some(row), language) => language == Some(row),
        };
        let line = || {
            let mut lines = tail.lines().rev();
            lines.find(|line| self.words.iter().any(|words| line.contains(words)))
        };
        let evidence = fits.then(line).flatten()?;
        if self.needs_missing_packages() && project.folder.join("node_modules").exists() {
            return None;
        }
        Some(Diagnosis {
            cause: self.cause,
            evidence: evidence.trim().to_owned(),
            remedy: match self.remedy {
                Install(command) => format!("Run: {}", project.install.unwrap_or(command)),
                Do(remedy) => remedy.to_owned(),
            },
        })
    }

    /// A program that is not found is one of a package only where no package is installed.
    fn needs_missing_packages(&self) -> bool {
        self.language == Some(Language::JavaScript) && matches!(self.remedy, Install(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(language: Language, tail: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let project = Project {
            folder: folder.path(),
            language: Some(language),
            install: None,
        };
        match find(tail, &project) {
            Some(found) => format!("{} [{}] {}", found.cause, found.evidence, found.remedy),
            None => "nothing".to_owned(),
        }
    }

    #[test]
    fn the_words_of_tools_name_the_cause() {
        let rows = [
            found(
                Language::Ruby,
                "Could not find rake-13.0.6, rspec-3.12.0 in locally installed gems\n\
                 Run `bundle install` to install missing gems.",
            ),
            found(
                Language::Python,
                "collected 0 items\n\n==== no tests ran in 0.01s ====\n",
            ),
            found(
                Language::JavaScript,
                "npm error Missing script: \"test\"\nnpm error\n",
            ),
            found(Language::TypeScript, "> jest\n\nsh: 1: jest: not found\n"),
            found(
                Language::Java,
                "[ERROR] No plugin found for prefix 'spotless' in the current project",
            ),
            found(
                Language::Go,
                "a.go:3:8: no required module provides package example.com/x",
            ),
            found(
                Language::Rust,
                "Error: listen EADDRINUSE: address already in use :::3000",
            ),
            found(Language::Rust, "assertion failed: a == b"),
            found(Language::Go, "sh: 1: jest: not found"),
        ];
        insta::assert_snapshot!(rows.join("\n"), @r#"
        gems that the project needs are not installed [Run `bundle install` to install missing gems.] Run: bundle install
        pytest found no tests [==== no tests ran in 0.01s ====] Name files of tests test_*.py or *_test.py, set `python_files` in the configuration of pytest, or name the folder of the tests in the test command.
        package.json has no such script [npm error Missing script: "test"] Add the script to package.json, or name another test command.
        the packages of the project are not installed [sh: 1: jest: not found] Run: npm install
        the pom does not configure the plugin of this command [[ERROR] No plugin found for prefix 'spotless' in the current project] Add the plugin to pom.xml, or name another command.
        go.mod and go.sum do not list all modules that the code imports [a.go:3:8: no required module provides package example.com/x] Run: go mod tidy
        a network port that the tests need is in use [Error: listen EADDRINUSE: address already in use :::3000] End the program that listens on that port, or have the tests choose a free one.
        nothing
        nothing
        "#);
    }

    #[test]
    fn installed_packages_are_not_missing() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("node_modules")).unwrap();
        let project = Project {
            folder: folder.path(),
            language: Some(Language::JavaScript),
            install: Some("npm ci"),
        };
        assert_eq!(find("Error: Cannot find module './cart'", &project), None);
    }
}
