//! The test ledger: what ran before a change, and what ran after it.
//!
//! The project's tests are run on the tree before the change, and the names of
//! all tests are compared with those that ran after it. What ran before has to
//! run still, unless the change takes the test out (which the review judges);
//! what the change adds has to run. Then the new tests are run on the old code,
//! where at least one of them ought to fail.
//!
//! ```text
//! base commit ─▶ temporary worktree ─▶ test command ─▶ names ─┐
//! change ─▶ tests in its source (added, taken out) ───────────┼─▶ differences
//! validation of the head ─▶ names ────────────────────────────┘
//! ```

mod differences;
mod source;

use std::fs;
use std::path::{Path, PathBuf};

use baton_host::cmd::Environment;
use baton_protocol::phase::testing::TestingInput;
use baton_protocol::phase::testing_details::FactSource;
use baton_protocol::report::ReportedFailure;
use baton_report::cases::{Case, CaseStatus};

use super::base::{Base, BaseTree};
use crate::context::Context;
use crate::settings::Preferred;
use crate::testing::{self, FlakyPolicy};

pub use differences::Difference;
use differences::Ran;
pub use source::SourceTests;
use source::Tests;

/// As much of an error as is compared.
const MAX_WORDS: usize = 400;

/// What is compared.
pub struct Request<'a> {
    /// The project, as it is after the change.
    pub folder: &'a Path,
    /// The commit that the change began at.
    pub base: &'a str,
    pub cx: &'a Context,
    pub preferred: &'a Preferred,
    /// For one run of the tests.
    pub timeout_seconds: u64,
    /// What the validation of the change has seen.
    pub head: Head<'a>,
    /// What the tree before the change was built to, relative to the folder, each
    /// with its copy.
    pub built: &'a [(PathBuf, PathBuf)],
    /// What an earlier comparison with the same commit has seen of it.
    pub before: Option<BaseRun>,
}

/// The tests after the change.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    pub cases: &'a [Case],
    pub run: u64,
    pub failures: &'a [ReportedFailure],
}

/// A run of the project's tests on the tree before the change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BaseRun {
    pub cases: Vec<Case>,
    /// How many ran; `None` where the runner's words were not understood.
    pub counted: Option<u64>,
    /// Names of the tests that failed, each with the reason.
    pub failures: Vec<(String, String)>,
    /// What could not be found out, in words.
    pub unknown: Option<String>,
}

/// What came of the comparison.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Tests that ought to have run and did not.
    pub differences: Vec<Difference>,
    /// The tests before the change; `None` where they were not run.
    pub before: Option<BaseRun>,
    /// How many tests ran after it.
    pub after: u64,
    /// Tests that fail after the change, and failed before it for the same
    /// reason.
    pub failed_before: Vec<String>,
    /// New tests, and those of them that pass on the old code as well.
    pub added: Vec<String>,
    pub pass_without_change: Vec<String>,
    /// What could not be found out, in words.
    pub unknown: Option<String>,
    /// The tests that the old tree has, where its runner found none of them.
    pub unfound: Option<SourceTests>,
}

/// Compares. Where the old tree cannot be tested, the ledger says so.
pub async fn compare(request: Request<'_>) -> Ledger {
    let mut ledger = Ledger {
        after: request.head.run,
        ..Ledger::default()
    };
    let Request {
        folder,
        cx: Context {
            environment,
            cancel,
            ..
        },
        ..
    } = request;
    let Some(base) = Base::find(folder, environment, cancel, Some(request.base)).await else {
        return ledger;
    };
    let tests = Tests::from_change(&base, folder).await;
    ledger.added = tests.added.iter().map(|test| test.name.clone()).collect();
    let Some(checkout) = base.check_out_beside(folder, environment).await else {
        ledger.unknown = Some("the tree before the change could not be checked out".to_owned());
        return ledger;
    };
    checkout.put_in(request.built);
    let before = match &request.before {
        Some(known) => known.clone(),
        None => run(&request, &checkout).await,
    };
    if !cancel.is_cancelled() {
        let ran = Ran {
            before: &before.cases,
            after: request.head.cases,
            counted_before: before.counted,
            counted_after: request.head.run,
        };
        ledger.differences = differences::between(&ran, &tests, folder);
        ledger.failed_before = failed_before(&before, &request.head, folder);
        ledger.unknown.clone_from(&before.unknown);
        // Tests that cannot even be built are failures, not tests that no one looks for.
        let is_empty = before.cases.is_empty() && before.failures.is_empty();
        if before.counted == Some(0) && is_empty {
            ledger.unfound = SourceTests::find(checkout.folder());
        }
        ledger.before = Some(before);
    }
    let mut failures = request.head.failures.iter();
    let is_old = |failure: &ReportedFailure| ledger.failed_before.contains(&failure.name);
    // A change whose tests fail is tested again, and then this is worth the time.
    if !cancel.is_cancelled() && !tests.added.is_empty() && failures.all(is_old) {
        ledger.pass_without_change = pass_on_old_code(&request, &tests, &checkout).await;
    }
    checkout.discard(&base).await;
    ledger
}

/// Failures of the head that were there before. A test that failed for another
/// reason then is not one of them.
fn failed_before(before: &BaseRun, head: &Head<'_>, folder: &Path) -> Vec<String> {
    let is_old = |failure: &&ReportedFailure| {
        let reason = reason(&failure.error, &[folder]);
        let mut old = before.failures.iter();
        old.any(|(name, error)| *name == failure.name && *error == reason)
    };
    let old = head.failures.iter().filter(is_old);
    old.map(|failure| failure.name.clone()).collect()
}

/// What an error says, without what differs from run to run: lines of the source,
/// addresses, and the folders that it happened in.
fn reason(error: &str, folders: &[&Path]) -> String {
    let without = |error: String, folder: &&Path| error.replace(&*folder.to_string_lossy(), "");
    let error = folders.iter().fold(error.to_owned(), without);
    // pytest marks what is the error, and prints the source around it.
    let is_marked = |line: &&str| line.trim_start().starts_with("E ");
    let marked: Vec<&str> = error.lines().filter(is_marked).collect();
    let lines = match marked.as_slice() {
        [] => error.lines().collect(),
        marked => marked.to_vec(),
    };
    let words = lines.iter().flat_map(|line| line.split_whitespace());
    let mut reason = String::new();
    let mut is_line = false;
    for word in words.take(MAX_WORDS) {
        if !is_line {
            reason.push_str(&without_places(word));
            reason.push(' ');
        }
        is_line = word == "line";
    }
    reason
}

/// `a.py:3:1` becomes `a.py::`, and `0x7f3a` becomes `0x`.
fn without_places(word: &str) -> String {
    let mut left = String::new();
    let mut rest = word;
    while let Some(letter) = rest.chars().next() {
        let (length, is_dropped): (usize, fn(&char) -> bool) = if rest.starts_with("0x") {
            (2, |letter| letter.is_ascii_hexdigit())
        } else if letter == ':' {
            (1, |letter| letter.is_ascii_digit())
        } else {
            (letter.len_utf8(), |_| false)
        };
        left.push_str(&rest[..length]);
        rest = rest[length..].trim_start_matches(|letter| is_dropped(&letter));
    }
    left
}

async fn run(request: &Request<'_>, checkout: &BaseTree) -> BaseRun {
    let folder = checkout.folder();
    let input = TestingInput {
        max_retries: 0,
        timeout_seconds: request.timeout_seconds,
        run_build: Some(false),
        ..TestingInput::new(folder.to_string_lossy())
    };
    let environment = checkout.shown_in(&environment_for(request, folder));
    let cx = request.cx.clone().with_environment(environment);
    let options = testing::Options {
        preferred: Preferred {
            test: request.preferred.test.clone(),
            ..Preferred::default()
        },
        flaky: FlakyPolicy::Pass,
        lists_cases: true,
        by_sources: true,
        ..testing::Options::default()
    };
    let answer = testing::run(&cx, &input, options).await;
    let attempt = answer.details.attempts.first();
    let understood = attempt.filter(|attempt| attempt.source != FactSource::ExitCode);
    let unknown = match (attempt, &understood) {
        // Without a test command there was nothing to run.
        (None, _) if answer.output.test_command.is_none() => None,
        (None, _) => Some("the tests could not be started before the change".to_owned()),
        (Some(_), None) => Some("what the tests print is not understood".to_owned()),
        (Some(_), Some(_)) => None,
    };
    // Packages are installed beside the changed tree, and errors name them there.
    let folders = [folder, request.folder];
    let failures = attempt.map(|attempt| attempt.failures.as_slice());
    BaseRun {
        counted: understood.map(|attempt| attempt.counts.run),
        failures: failures
            .unwrap_or_default()
            .iter()
            .map(|failure| (failure.name.clone(), reason(&failure.error, &folders)))
            .collect(),
        cases: answer.cases,
        unknown,
    }
}

/// The old tree is to be tested, not the new one that is installed.
fn environment_for(request: &Request<'_>, folder: &Path) -> Environment {
    let mut environment = request.cx.environment.clone();
    let mut paths = vec![folder.join("src"), folder.to_owned()];
    let own = environment.get("PYTHONPATH").map(ToOwned::to_owned);
    paths.extend(own.iter().flat_map(std::env::split_paths));
    if let Ok(joined) = std::env::join_paths(paths) {
        environment.set("PYTHONPATH", joined);
    }
    // Cargo takes what was built of the one tree for that of the other, where
    // both build into the same folder.
    environment.set("CARGO_TARGET_DIR", folder.join("target"));
    environment
}

/// The new tests that pass on the old code. A test that cannot even be compiled
/// there does not pass.
async fn pass_on_old_code(
    request: &Request<'_>,
    tests: &Tests,
    checkout: &BaseTree,
) -> Vec<String> {
    for path in &tests.files {
        let to = checkout.folder().join(path);
        let copied = to
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::copy(request.folder.join(path), &to));
        if copied.is_err() {
            return Vec::new();
        }
    }
    let run = run(request, checkout).await;
    let passed: Vec<&Case> = run
        .cases
        .iter()
        .filter(|case| case.status == CaseStatus::Passed)
        .collect();
    let is_passed = |name: &str| passed.iter().any(|case| differences::is_of(case, name));
    let added = tests.added.iter().filter(|test| is_passed(&test.name));
    added.map(|test| test.name.clone()).collect()
}

/// Whether tests stand beside the code that they test, in the same file, as in
/// Rust: such files cannot be put on top of old code.
fn shares_files_with_code(path: &str) -> bool {
    let is_rust = Path::new(path).extension().is_some_and(|end| end == "rs");
    is_rust && !path.starts_with("tests/") && !path.contains("/tests/")
}

#[cfg(test)]
mod tests {
    use baton_protocol::Confidence;

    use super::*;

    #[test]
    fn a_reason_is_what_does_not_differ_from_run_to_run() {
        let folders = [Path::new("/tmp/base"), Path::new("/src/tree")];
        let says = |error: &str| reason(error, &folders).trim().to_owned();
        assert_eq!(
            says("a.py:3: in f\n>  g()\nE   Bad: -1 != 0\n\na.py:3: Bad"),
            "E Bad: -1 != 0"
        );
        assert_eq!(
            says("File \"/tmp/base/a.py\", line 17, in f\n<A object at 0x7f3a>"),
            "File \"/a.py\", line in f <A object at 0x>"
        );
        assert_eq!(
            says("shop_test.go:14: got 1, want 2"),
            "shop_test.go:: got 1, want 2"
        );
        assert_eq!(
            says("a.ts:1: no overload of /src/tree/node_modules/b"),
            "a.ts:: no overload of /node_modules/b"
        );
        assert_eq!(says("Grüße 'ä'"), "Grüße 'ä'");
    }

    #[test]
    fn only_the_same_failure_for_the_same_reason_is_an_old_one() {
        let before = BaseRun {
            failures: vec![
                (
                    "m::old".to_owned(),
                    reason("E at /tmp/base/m.py:3", &[Path::new("/tmp/base")]),
                ),
                ("m::other".to_owned(), reason("no such file", &[])),
            ],
            ..BaseRun::default()
        };
        let failure = |name: &str, error: &str| ReportedFailure {
            name: name.to_owned(),
            file: None,
            line: None,
            error: error.to_owned(),
            confidence: Confidence::High,
        };
        let failures = [
            failure("m::old", "\n  E at /src/tree/m.py:17\nmore"),
            failure("m::other", "1 is not 2"),
            failure("m::new", "E at /src/tree/m.py:3"),
        ];
        let head = Head {
            cases: &[],
            run: 3,
            failures: &failures,
        };
        assert_eq!(
            failed_before(&before, &head, Path::new("/src/tree")),
            ["m::old"]
        );
    }
}
