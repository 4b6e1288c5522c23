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
use std::path::Path;

use baton_host::cmd::Environment;
use baton_host::detect;
use baton_protocol::phase::testing::TestingInput;
use baton_protocol::phase::testing_details::FactSource;
use baton_report::cases::{Case, CaseStatus};
use tokio_util::sync::CancellationToken;

use super::Preferred;
use super::base::{Base, BaseTree};
use crate::question::Nobody;
use crate::testing::{self, FlakyPolicy};

pub use differences::Difference;
use differences::Ran;
use source::Tests;

/// What is compared.
pub struct Request<'a> {
    /// The project, as it is after the change.
    pub folder: &'a Path,
    /// The commit that the change began at.
    pub base: &'a str,
    pub environment: &'a Environment,
    pub cancel: &'a CancellationToken,
    pub preferred: &'a Preferred,
    /// For one run of the tests.
    pub timeout_seconds: u64,
    /// What the validation of the change has seen.
    pub head: Head<'a>,
    pub observe: &'a (dyn Fn() + Sync),
}

/// The tests after the change.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    pub cases: &'a [Case],
    pub run: u64,
}

/// What came of the comparison.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Tests that ought to have run and did not.
    pub differences: Vec<Difference>,
    /// How many tests ran before, and after; `None` where that is not known.
    pub before: Option<u64>,
    pub after: u64,
    /// New tests, and those of them that pass on the old code as well.
    pub added: Vec<String>,
    pub pass_without_change: Vec<String>,
    /// What could not be found out, in words.
    pub unknown: Option<String>,
}

/// Compares. Where the old tree cannot be tested, the ledger says so.
pub async fn compare(request: Request<'_>) -> Ledger {
    let mut ledger = Ledger {
        after: request.head.run,
        ..Ledger::default()
    };
    let Request {
        folder,
        environment,
        cancel,
        ..
    } = request;
    let Some(base) = Base::find(folder, environment, cancel, Some(request.base)).await else {
        return ledger;
    };
    let tests = Tests::of_change(&base, folder).await;
    ledger.added = tests.added.iter().map(|test| test.name.clone()).collect();
    let Some(checkout) = base.check_out_beside(folder, environment).await else {
        ledger.unknown = Some("the tree before the change could not be checked out".to_owned());
        return ledger;
    };
    let before = run(&request, &checkout).await;
    if !cancel.is_cancelled() {
        let ran = Ran {
            before: &before.cases,
            after: request.head.cases,
            counted_before: before.counted,
            counted_after: request.head.run,
        };
        ledger.differences = differences::between(&ran, &tests, folder);
        ledger.before = before.counted;
        ledger.unknown = before.trouble;
    }
    if !cancel.is_cancelled() && !tests.added.is_empty() {
        ledger.pass_without_change = pass_on_old_code(&request, &tests, &checkout).await;
    }
    checkout.discard(&base).await;
    ledger
}

/// A run of the project's tests on the old code.
#[derive(Default)]
struct OldRun {
    cases: Vec<Case>,
    /// `None` where the runner's words were not understood.
    counted: Option<u64>,
    trouble: Option<String>,
}

async fn run(request: &Request<'_>, checkout: &BaseTree) -> OldRun {
    let folder = checkout.folder();
    let input = TestingInput {
        max_retries: 0,
        timeout_seconds: request.timeout_seconds,
        run_build: Some(false),
        language: detect::guess_language(folder),
        ..TestingInput::new(folder.to_string_lossy())
    };
    let environment = checkout.shown_in(&environment_for(request, folder));
    let surroundings = testing::Surroundings {
        environment: &environment,
        cancel: request.cancel,
        preferred: testing::Preferred {
            test: request.preferred.test.clone(),
            build: None,
        },
        history: None,
        flaky: FlakyPolicy::Pass,
        only: Vec::new(),
        lists_cases: true,
        ask: &mut Nobody,
        observe: &mut |_| (request.observe)(),
    };
    let answer = testing::run(&input, surroundings).await;
    let attempt = answer.details.attempts.first();
    let understood = attempt.filter(|attempt| attempt.source != FactSource::ExitCode);
    let trouble = match (attempt, &understood) {
        // Without a test command there was nothing to run.
        (None, _) if answer.output.test_command.is_none() => None,
        (None, _) => Some("the tests could not be started before the change".to_owned()),
        (Some(_), None) => Some("what the tests print is not understood".to_owned()),
        (Some(_), Some(_)) => None,
    };
    OldRun {
        counted: understood.map(|attempt| attempt.counts.run),
        cases: answer.cases,
        trouble,
    }
}

/// The old tree is to be tested, not the new one that is installed.
fn environment_for(request: &Request<'_>, folder: &Path) -> Environment {
    let mut environment = request.environment.clone();
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
