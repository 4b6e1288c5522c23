//! What one run of the test command means.

use baton_host::cmd::{Outcome, ShellVerdict};
use baton_protocol::Language;
use baton_protocol::report::TestReport;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Passed,
    Failed,
    /// No test could run, because the code does not compile.
    DoesNotCompile,
    TimedOut,
    NotFound,
    NotPermitted,
    OutOfMemory,
    /// The Go toolchain cannot detect races here.
    RaceUnsupported,
    Cancelled,
}

/// SIGKILL; not ours, or the outcome would be another.
const KILLED: i32 = 9;

pub(super) fn judge(
    outcome: Outcome,
    report: &TestReport,
    tail: &str,
    language: Option<Language>,
) -> Verdict {
    match outcome {
        Outcome::TimedOut { .. } => return Verdict::TimedOut,
        Outcome::Cancelled => return Verdict::Cancelled,
        Outcome::Signalled(KILLED) => return Verdict::OutOfMemory,
        Outcome::Signalled(_) | Outcome::Exited(_) => {}
    }
    let counts = report.counts;
    let nothing_ran = counts.run == 0;
    match outcome.shell_verdict() {
        Some(ShellVerdict::NotFound) if nothing_ran => return Verdict::NotFound,
        Some(ShellVerdict::NotExecutable) if nothing_ran => return Verdict::NotPermitted,
        Some(ShellVerdict::Signalled(KILLED)) => return Verdict::OutOfMemory,
        _ if nothing_ran && is_missing_within(outcome, tail) => return Verdict::NotFound,
        _ => {}
    }
    let failed = !report.failures.is_empty() || counts.failed + counts.errors > 0;
    if outcome == Outcome::Exited(0) && !failed {
        return Verdict::Passed;
    }
    if nothing_ran && race_is_unsupported(tail) {
        return Verdict::RaceUnsupported;
    }
    if out_of_memory(tail) {
        return Verdict::OutOfMemory;
    }
    // Go tests the packages that compile, and goes on to the others.
    let could_not_run = nothing_ran || language == Some(Language::Go);
    if could_not_run && report.is_build_failure && language.is_some_and(is_compiled) {
        return Verdict::DoesNotCompile;
    }
    Verdict::Failed
}

/// The program is there, but what it was to run is not: it says so with an
/// exit code like any other.
fn is_missing_within(outcome: Outcome, tail: &str) -> bool {
    let Outcome::Exited(1) = outcome else {
        return false;
    };
    let last = tail.lines().next_back().unwrap_or_default();
    last.ends_with(": No module named pytest")
        || tail.lines().any(|line| {
            line.starts_with("No Rakefile found (looking for: ")
                || line.starts_with("Don't know how to build task 'test'")
        })
}

/// Languages in which a test run begins with a compiler.
fn is_compiled(language: Language) -> bool {
    match language {
        Language::Go | Language::Rust | Language::Java | Language::TypeScript => true,
        Language::JavaScript | Language::Python | Language::Ruby => false,
    }
}

fn race_is_unsupported(tail: &str) -> bool {
    tail.contains("-race requires cgo")
        || tail.contains("-race is only supported on")
        || tail.contains("-race is not supported")
        // Older toolchains try to build the race detector where nothing can compile it.
        || (tail.contains("cgo: C compiler ") && tail.contains(" not found: "))
}

/// The words of runtimes that ran out of memory and said so.
fn out_of_memory(tail: &str) -> bool {
    [
        "JavaScript heap out of memory",
        "java.lang.OutOfMemoryError",
        "fatal error: runtime: out of memory",
        "memory allocation of ",
        "[FATAL] failed to allocate memory",
    ]
    .iter()
    .any(|words| {
        // A test may quote such words; the runtime says them at the end.
        tail.lines().rev().take(40).any(|line| line.contains(words))
    })
}
