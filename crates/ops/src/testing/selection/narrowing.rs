//! Filters by name, and words that a person adds for the runner.

use std::path::Path;

use super::Run;
use super::runner::Runner;
use crate::command_line::{plain_words, shown};
use crate::testing::Narrowing;

/// The command with the filter and the words. `None` where it is not known how this command is told to
/// filter by name.
pub(crate) fn narrowed(command: &str, folder: &Path, narrowing: &Narrowing) -> Option<String> {
    let run = plain_words(command).and_then(|words| Run::parse(words, folder, "minitest"));
    match (run, &narrowing.filter) {
        (Some(run), filter) => {
            let mut options = match filter {
                Some(filter) => filter_options(run.runner, filter)?,
                None => Vec::new(),
            };
            options.extend(narrowing.words.iter().cloned());
            Some(shown(&with_options(run, options)))
        }
        (None, None) => Some(with_words(command, &narrowing.words)),
        (None, Some(_)) => None,
    }
}

/// How a runner is told to run the tests whose names contain a text.
fn filter_options(runner: Runner, filter: &str) -> Option<Vec<String>> {
    // A name is never an option.
    if filter.is_empty() || filter.starts_with('-') {
        return None;
    }
    let pair = |option: &str, value: String| Some(vec![option.to_owned(), value]);
    match runner {
        Runner::Pytest { .. } | Runner::Unittest => pair("-k", filter.to_owned()),
        Runner::GoTest => Some(vec![format!("-run={}", literal(filter))]),
        Runner::CargoTest | Runner::Nextest => Some(vec![filter.to_owned()]),
        Runner::Rspec => pair("-e", filter.to_owned()),
        Runner::Minitest => pair("-n", format!("/{}/", literal(filter))),
        Runner::Maven => Some(vec![
            format!("-Dtest=*{filter}*"),
            "-Dsurefire.failIfNoSpecifiedTests=false".to_owned(),
        ]),
        Runner::Gradle => pair("--tests", format!("*{filter}*")),
        Runner::Jest { .. } | Runner::Vitest { .. } => pair("-t", literal(filter)),
        Runner::Mocha { .. } => pair("--fgrep", filter.to_owned()),
    }
}

/// As a regular expression that means just this text, in all their languages.
fn literal(text: &str) -> String {
    let mut pattern = String::new();
    for letter in text.chars() {
        if r"\.+*?()|[]{}^$/".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

fn with_options(run: Run, options: Vec<String>) -> Vec<String> {
    if options.is_empty() {
        return run.words;
    }
    if let Some(script) = &run.script {
        return script.with(run.words, options);
    }
    let mut words = run.words;
    // What comes after `--` is for the test program.
    let end = match run.runner {
        Runner::GoTest => 2,
        _ => words
            .iter()
            .position(|word| word == "--")
            .unwrap_or(words.len()),
    };
    words.splice(end..end, options);
    words
}

/// For a command that may need a shell: the words are quoted for one.
fn with_words(command: &str, words: &[String]) -> String {
    if words.is_empty() {
        return command.to_owned();
    }
    // npm takes options for its own otherwise.
    let mut parts = command.split_whitespace();
    let is_npm = parts.next() == Some("npm") && !parts.any(|part| part == "--");
    let marker = if is_npm { " --" } else { "" };
    words
        .iter()
        .fold(format!("{command}{marker}"), |line, word| {
            format!("{line} {}", baton_host::cmd::quote(word))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(command: &str, filter: Option<&str>, words: &[&str]) -> String {
        let narrowing = Narrowing {
            filter: filter.map(str::to_owned),
            words: words.iter().map(|&word| word.to_owned()).collect(),
        };
        narrowed(command, Path::new("/"), &narrowing).unwrap_or_else(|| "unknown".to_owned())
    }

    #[test]
    fn each_runner_filters_in_its_own_way() {
        for (command, expected) in [
            ("pytest -q", "pytest -q -k cart"),
            (
                "python3 -m unittest discover",
                "python3 -m unittest discover -k cart",
            ),
            ("go test -race ./...", "go test -run=cart -race ./..."),
            (
                "cargo test --no-fail-fast",
                "cargo test --no-fail-fast cart",
            ),
            (
                "cargo test -- --nocapture",
                "cargo test cart -- --nocapture",
            ),
            ("cargo nextest run", "cargo nextest run cart"),
            ("bundle exec rspec", "bundle exec rspec -e cart"),
            (
                "ruby -Itest test/test_a.rb",
                "ruby -Itest test/test_a.rb -n /cart/",
            ),
            (
                "mvn test",
                "mvn test '-Dtest=*cart*' -Dsurefire.failIfNoSpecifiedTests=false",
            ),
            ("./gradlew test", "./gradlew test --tests '*cart*'"),
            ("npx jest", "npx jest -t cart"),
            ("npx vitest run", "npx vitest run -t cart"),
            ("npx mocha", "npx mocha --fgrep cart"),
        ] {
            assert_eq!(told(command, Some("cart"), &[]), expected);
        }
    }

    #[test]
    fn words_are_added_as_they_are() {
        assert_eq!(told("pytest", None, &["-x", "a b"]), "pytest -x 'a b'");
        assert_eq!(told("pytest", Some("cart"), &["-x"]), "pytest -k cart -x");
        assert_eq!(
            told("make test", None, &["V=1; rm x"]),
            "make test 'V=1; rm x'"
        );
        assert_eq!(
            told("npm test", None, &["--silent"]),
            "npm test -- --silent"
        );
        assert_eq!(
            told("CI=1 pytest && true", None, &[]),
            "CI=1 pytest && true"
        );
    }

    #[test]
    fn what_is_no_name_or_no_known_runner_is_not_guessed() {
        assert_eq!(told("make test", Some("cart"), &[]), "unknown");
        assert_eq!(told("pytest", Some("--pdb"), &[]), "unknown");
        assert_eq!(told("pytest", Some(""), &[]), "unknown");
        assert_eq!(
            told("npx jest", Some("adds (1+1)"), &[]),
            r"npx jest -t 'adds \(1\+1\)'"
        );
    }
}
