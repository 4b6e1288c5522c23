//! Runs that end with 0 and whose own words say something else.
//!
//! An exit code is a claim like any other: `os.Exit(0)` in a `TestMain`, or a
//! process that leaves in the middle of a session, makes it worthless.

use baton_protocol::Confidence;
use baton_protocol::report::{ReportedFailure, TestReport};

/// More than these say nothing new.
const MAX_CONTRADICTIONS: usize = 50;

/// Adds a failure for each contradiction between the end of a run, which claims
/// that all is well, and what it printed. `is_unfinished`: a report that the
/// runner writes last was asked for, and is not there.
pub(super) fn add_contradictions(report: &mut TestReport, output: &str, is_unfinished: bool) {
    let mut found = Vec::new();
    // Several frameworks of one run are joined by a plus.
    for framework in report.framework.split('+') {
        found.extend(match framework {
            "go-test" | "gotestsum" => failed_in_go(output),
            "node-test" => failed_in_node(output),
            "unittest" => failed_in_unittest(output),
            _ => Vec::new(),
        });
    }
    let is_silent = || report.framework.contains("pytest") && !has_summary(output);
    if has_open_session(output) || (is_unfinished && is_silent()) {
        found.push(failure(
            "test session",
            "the runner ended with 0 before its session was over, so tests may not have run",
        ));
    }
    found.truncate(MAX_CONTRADICTIONS);
    let counts = &mut report.counts;
    counts.failed += found.len() as u64;
    counts.run = counts.passed + counts.failed + counts.errors;
    report.failures.extend(found);
}

fn failed_in_go(output: &str) -> Vec<ReportedFailure> {
    let names = output.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix("--- FAIL: ")?;
        Some(rest.split_once(" (")?.0)
    });
    said_to_fail(names)
}

fn failed_in_node(output: &str) -> Vec<ReportedFailure> {
    let names = output.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix("✖ ")?;
        Some(rest.rsplit_once(" (")?.0)
    });
    said_to_fail(names)
}

fn failed_in_unittest(output: &str) -> Vec<ReportedFailure> {
    let names = output.lines().filter_map(|line| {
        let rest = line
            .strip_prefix("FAIL: ")
            .or(line.strip_prefix("ERROR: "))?;
        rest.contains(" (").then_some(rest)
    });
    said_to_fail(names)
}

fn said_to_fail<'a>(names: impl Iterator<Item = &'a str>) -> Vec<ReportedFailure> {
    let mut known: Vec<&str> = names.take(MAX_CONTRADICTIONS * 2).collect();
    known.sort_unstable();
    known.dedup();
    let told = known.into_iter().map(|name| {
        failure(
            name,
            "its own output says that it fails, and the runner ended with 0",
        )
    });
    told.collect()
}

/// Whether a session of pytest begins in the text and does not end there.
fn has_open_session(output: &str) -> bool {
    let mut is_open = false;
    for line in output.lines().filter(|line| line.starts_with("===")) {
        let words = line.trim_matches('=').trim();
        if words == "test session starts" {
            is_open = true;
        } else if is_summary(words) {
            is_open = false;
        }
    }
    is_open
}

fn has_summary(output: &str) -> bool {
    let mut lines = output.lines().map(|line| line.trim_matches('=').trim());
    lines.any(is_summary)
}

/// `3 passed in 0.02s`, `no tests ran in 0.01s`, `1 failed in 62.10s (0:01:02)`
fn is_summary(words: &str) -> bool {
    let Some((_, time)) = words.rsplit_once(" in ") else {
        return false;
    };
    let seconds = time.split(' ').next().unwrap_or_default();
    seconds
        .strip_suffix('s')
        .is_some_and(|number| number.parse::<f64>().is_ok())
}

fn failure(name: &str, error: &str) -> ReportedFailure {
    ReportedFailure {
        name: name.to_owned(),
        file: None,
        line: None,
        error: error.to_owned(),
        confidence: Confidence::High,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(framework: &str, output: &str, is_unfinished: bool) -> Vec<String> {
        let mut report = TestReport {
            framework: framework.to_owned(),
            ..baton_report::read(b"")
        };
        add_contradictions(&mut report, output, is_unfinished);
        assert_eq!(report.counts.failed, report.failures.len() as u64);
        report.failures.into_iter().map(|one| one.name).collect()
    }

    #[test]
    fn what_fails_by_its_own_words_has_failed() {
        let go =
            "--- FAIL: TestEmpty (0.00s)\n    a_test.go:9: want 1\nok  \texample.com/a\t0.002s\n";
        assert_eq!(names("go-test", go, false), ["TestEmpty"]);
        let node = "✔ adds (0.5ms)\n  ✖ empty (0.3ms)\nℹ fail 0\n";
        assert_eq!(names("node-test", node, false), ["empty"]);
        let python = "FAIL: test_a (tests.A)\n----\nRan 2 tests in 0.1s\n\nOK\n";
        assert_eq!(names("unittest", python, false), ["test_a (tests.A)"]);
    }

    #[test]
    fn a_session_that_is_not_over_has_failed() {
        let start = "===== test session starts =====\ncollected 5 items\n\ntests/test_a.py ..";
        assert_eq!(names("pytest", start, false), ["test session"]);
        assert_eq!(names("pytest", "..\n", true), ["test session"]);
        let quiet = names("pytest", "..\n2 passed in 0.01s\n", true);
        assert_eq!(quiet, Vec::<String>::new());
        for end in [
            "5 passed in 0.02s",
            "no tests ran in 0.01s",
            "5 passed, 1 warning in 62.10s (0:01:02)",
        ] {
            let whole = format!("{start}\n\n===== {end} =====\n");
            assert_eq!(names("pytest", &whole, false), Vec::<String>::new());
        }
    }

    #[test]
    fn honest_runs_are_left_alone() {
        let go =
            "=== RUN   TestA\n    a_test.go:3: said FAIL\n--- PASS: TestA (0.00s)\nok  \ta\t0.1s\n";
        assert_eq!(names("go-test", go, false), Vec::<String>::new());
        assert_eq!(
            names("node-test", "✔ fails gracefully (1ms)\n", false),
            Vec::<String>::new()
        );
        assert_eq!(
            names("cargo-test", "--- FAIL: x (1s)\n", false),
            Vec::<String>::new()
        );
    }
}
