//! A failure as it was found in one check.

use baton_protocol::report::ReportedFailure;
use baton_protocol::tools::get_failing_tests::FailureSource;

use super::places::by_layout;

/// Characters of an error in an answer; the reader's own cut is the same.
pub(super) const MAX_ERROR_LEN: usize = 2_000;
/// Characters of a test's name. Parametrised ones may be absurd.
const MAX_NAME_LEN: usize = 500;

/// Tools that read code and run none of it: what they find keeps no test from running.
const CHECKERS: [&str; 14] = [
    "biome",
    "black",
    "checkstyle",
    "clippy",
    "eslint",
    "gofmt",
    "golangci-lint",
    "mypy",
    "prettier",
    "pyright",
    "rubocop",
    "ruff",
    "rustfmt",
    "spotless",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Its place in the survey.
    pub(super) check: usize,
    pub(super) failure: ReportedFailure,
    /// The tool whose words these are; empty when none was recognised.
    pub(super) framework: String,
    /// Nothing could run: a compiler, linter or loader said no.
    pub(super) is_build_failure: bool,
    pub(super) source: FailureSource,
    /// The step of the job that failed.
    pub(super) step: Option<String>,
}

impl Found {
    /// A linter, a formatter or a type checker says so.
    pub(super) fn is_of_checker(&self) -> bool {
        let mut tools = self.framework.split('+');
        tools.all(|tool| CHECKERS.contains(&tool))
    }

    /// What it is called in an answer: a rule with its tool, so that it is not taken for a test.
    pub(super) fn label(&self) -> String {
        let name = &self.failure.name;
        if self.is_whole_check() || !self.is_of_checker() || name.contains(&self.framework) {
            return name.clone();
        }
        format!("{}: {name}", self.framework)
    }

    /// It names no test or rule, only the check or one of its steps.
    pub(super) fn is_whole_check(&self) -> bool {
        matches!(self.source, FailureSource::LogTail | FailureSource::Check)
    }

    /// Whether it is the same failure, whatever numbers are in its words.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        if self.is_whole_check() || other.is_whole_check() {
            return self.is_whole_check() == other.is_whole_check()
                && shape(&self.failure.error) == shape(&other.failure.error);
        }
        self.failure.name == other.failure.name
    }
}

/// What an error says without what differs from run to run: numbers, hashes,
/// addresses, and where the runner put the checkout. Only the beginning, where
/// the message is.
pub(super) fn shape(error: &str) -> String {
    let lines = error.lines().map(str::trim).filter(|line| !line.is_empty());
    let text: Vec<&str> = lines.take(3).collect();
    let mut shape = String::new();
    for word in text.join(" ").split_whitespace() {
        let word = word.rsplit(['/', '\\']).next().unwrap_or(word);
        let is_number = word.chars().any(|c| c.is_ascii_digit())
            && word
                .chars()
                .all(|c| c.is_ascii_hexdigit() || "x:.-_ms%()#".contains(c));
        let mut in_digits = false;
        for c in word.chars() {
            if is_number {
                break;
            }
            if !c.is_ascii_digit() {
                shape.push(c);
            } else if !in_digits {
                shape.push('#');
            }
            in_digits = c.is_ascii_digit();
        }
        if is_number {
            shape.push('#');
        }
        shape.push(' ');
    }
    shape
}

/// A failure of this project: with its file as the repository has it, and with
/// texts that fit into an answer.
pub(super) fn tidied(mut failure: ReportedFailure, repository: &str) -> ReportedFailure {
    failure.file = failure.file.map(|file| by_layout(&file, repository));
    failure.name = shortened(&failure.name, MAX_NAME_LEN);
    failure.error = shortened(failure.error.trim(), MAX_ERROR_LEN);
    failure
}

pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_alike_but_for_what_changes() {
        for (one, other) in [
            ("assert 3 == 4", "assert 5 == 17"),
            ("took 12.5ms at 0x7f3a", "took 9ms at 0x11bc"),
            (
                "open /home/runner/work/a/a/x.txt: no such file",
                r"open D:\a\a\a\x.txt: no such file",
            ),
            ("commit 1a2b3c4d is gone", "commit 99e8f7a6 is gone"),
            ("a\n\nb\nc\nd", "a\nb\nc\nsomething else"),
        ] {
            assert_eq!(shape(one), shape(other));
        }
        assert_ne!(shape("assert a == b"), shape("assert a == c"));
        assert_ne!(shape("dead beef"), shape("bad cafe"));
    }

    #[test]
    fn a_rule_is_no_test() {
        let found = |framework: &str, name: &str| Found {
            check: 0,
            failure: ReportedFailure {
                name: name.to_owned(),
                file: None,
                line: None,
                error: String::new(),
                confidence: baton_protocol::Confidence::High,
            },
            framework: framework.to_owned(),
            is_build_failure: true,
            source: FailureSource::Log,
            step: None,
        };
        assert_eq!(found("mypy", "assignment").label(), "mypy: assignment");
        assert_eq!(found("rustfmt", "rustfmt").label(), "rustfmt");
        // A compiler, and a runner of tests beside a linter.
        for framework in ["rustc", "jest+eslint", "pytest", ""] {
            assert_eq!(found(framework, "E0308").label(), "E0308", "{framework}");
        }
    }

    #[test]
    fn long_texts_are_cut_between_letters() {
        assert_eq!(shortened("äöü", 2), "äö…");
        assert_eq!(shortened("äöü", 3), "äöü");
    }
}
