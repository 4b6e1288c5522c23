//! Reads the summary of gotestsum: `=== Failed`, `=== FAIL: pkg TestA (0.00s)`,
//! and `DONE 17 tests, 1 skipped, 10 failures in 0.588s`.

use baton_protocol::Confidence;

use crate::session::{Evidence, Failure, Session};
use crate::text::Line;

use super::paths::Report;
use super::{package_line, verdict_line};
use crate::stack::go::{GoOutput, infer_files};

pub(super) struct Summary {
    lines: (u64, u64),
    entries: Vec<Entry>,
    /// The next lines belong to the last entry.
    in_entry: bool,
}

/// A test that failed at least once; it may have been rerun.
struct Entry {
    package: String,
    name: String,
    /// The run in which it failed last, counted from 0.
    run: u64,
    output: GoOutput,
    /// Its output contains a pass: the verdict was on the same line as something
    /// that the test had printed.
    passed: bool,
}

impl Summary {
    pub(super) fn begins(text: &str) -> bool {
        matches!(text, "=== Failed" | "=== Skipped")
            || header(text).is_some()
            || Done::read(text).is_some()
    }

    pub(super) fn new(number: u64) -> Self {
        Self {
            lines: (number, number),
            entries: Vec::new(),
            in_entry: false,
        }
    }

    /// Returns whether the summary ends with this line.
    pub(super) fn line(&mut self, line: Line<'_>, report: &mut Report) -> bool {
        self.lines.1 = line.number;
        if let Some((package, name, run)) = header(line.text) {
            self.open(package, name, run);
        } else if let Some(done) = Done::read(line.text) {
            let entries = std::mem::take(&mut self.entries);
            report.replace(session(entries, &done, self.lines));
            return true;
        } else if line.text.starts_with("=== ") && !line.text.starts_with("=== RUN ") {
            self.in_entry = false;
        } else if self.in_entry
            && let Some(entry) = self.entries.last_mut()
        {
            entry.line(line.text);
        }
        false
    }

    pub(super) fn cut_off(self, report: &mut Report) {
        let done = Done {
            runs: 1,
            tests: self.entries.len() as u64,
            skipped: 0,
            failures: self.entries.len() as u64,
            errors: 0,
        };
        if !self.entries.is_empty() {
            let mut session = session(self.entries, &done, self.lines);
            session.evidence = Evidence::Summary;
            report.replace(session);
        }
    }

    fn open(&mut self, package: &str, name: &str, run: u64) {
        const MAX_ENTRIES: usize = 5_000;
        let is_same = |entry: &&mut Entry| entry.package == package && entry.name == name;
        self.in_entry = false;
        if let Some(known) = self.entries.iter_mut().find(is_same) {
            known.run = known.run.max(run);
        } else if self.entries.len() < MAX_ENTRIES {
            self.in_entry = true;
            self.entries.push(Entry {
                package: package.to_owned(),
                name: name.to_owned(),
                run,
                output: GoOutput::default(),
                passed: false,
            });
        }
    }
}

impl Entry {
    fn is_below(&self, parent: &Self) -> bool {
        let rest = self.name.strip_prefix(&parent.name);
        self.package == parent.package
            && !parent.name.is_empty()
            && rest.is_some_and(|rest| rest.starts_with('/'))
    }

    fn line(&mut self, text: &str) {
        // Packages are printed relative to the module; this is the full path.
        if self.name.is_empty()
            && let Some((_, package, _)) = package_line(text)
        {
            package.clone_into(&mut self.package);
        }
        let own = format!("--- PASS: {} (", self.name);
        self.passed |= text.contains(&own);
        let is_frame = text.starts_with("=== ")
            || verdict_line(text).is_some_and(|(_, name, _)| name == self.name);
        if !is_frame {
            self.output.line(text);
        }
    }

    fn into_failure(self) -> Failure {
        if self.name.is_empty() {
            let failure = Failure::named(self.package).sure(Confidence::Medium);
            return self.output.explain(failure);
        }
        let mut failure = self.output.explain(Failure::named(self.name));
        // Packages are printed relative to the module.
        if let Some(file) = &mut failure.file
            && !file.contains('/')
            && !matches!(self.package.as_str(), "." | "")
        {
            *file = format!("{}/{file}", self.package);
        }
        failure
    }
}

fn session(entries: Vec<Entry>, done: &Done, lines: (u64, u64)) -> Session {
    let mut session = Session::new("gotestsum", lines.0);
    session.lines = lines;
    session.evidence = Evidence::Complete;
    // A test that was rerun and did not fail in the last run has passed.
    let is_final = |entry: &Entry| entry.run + 1 >= done.runs;
    let (mut failed, forgiven): (Vec<_>, Vec<_>) = entries
        .into_iter()
        .partition(|entry| is_final(entry) && !entry.passed && !entry.output.is_impossible());
    let unreal = forgiven.iter().filter(|entry| is_final(entry)).count() as u64;
    let misread = forgiven.iter().filter(|entry| entry.passed).count() as u64;
    let broken = failed.iter().filter(|entry| entry.name.is_empty()).count() as u64;
    let counts = &mut session.counts;
    counts.passed = done.tests.saturating_sub(done.skipped + done.failures) + misread;
    counts.failed = if done.runs > 1 {
        failed.len() as u64
    } else {
        done.failures.saturating_sub(unreal)
    };
    // A package that failed as a whole is not among the tests.
    counts.failed = counts.failed.saturating_sub(broken);
    counts.skipped = done.skipped;
    counts.run = counts.passed + counts.failed;
    session.broke = done.errors > 0 || (counts.failed == 0 && broken > 0);
    hand_down_crashes(&mut failed);
    for failure in failures(failed) {
        session.add(failure);
    }
    session
}

/// Go reports a panic of a subtest as output of its parent.
fn hand_down_crashes(entries: &mut [Entry]) {
    for parent in 0..entries.len() {
        if !entries[parent].output.crashed() {
            continue;
        }
        let child = entries.iter().rposition(|entry| {
            entry.is_below(&entries[parent]) && !entry.output.has_failure_message()
        });
        if let Some(child) = child {
            let crash = std::mem::take(&mut entries[parent].output);
            entries[child].output.append(crash);
        }
    }
}

/// Parents that fail only because of their subtests are left out.
fn failures(entries: Vec<Entry>) -> Vec<Failure> {
    let is_parent: Vec<bool> = entries
        .iter()
        .map(|entry| entries.iter().any(|other| other.is_below(entry)))
        .collect();
    let mut packages: Vec<(String, Vec<Failure>)> = Vec::new();
    for (entry, is_parent) in entries.into_iter().zip(is_parent) {
        if is_parent && !entry.output.has_failure_message() {
            continue;
        }
        let package = entry.package.clone();
        let failure = entry.into_failure();
        match packages.iter_mut().find(|(name, _)| *name == package) {
            Some((_, failures)) => failures.push(failure),
            None => packages.push((package, vec![failure])),
        }
    }
    let package_failures = packages.into_iter().flat_map(|(_, mut failures)| {
        infer_files(&mut failures);
        failures
    });
    package_failures.collect()
}

/// `=== FAIL: cart TestA/b (re-run 1) (0.00s)`: package, test and run. The test
/// is empty if the package failed as a whole.
fn header(text: &str) -> Option<(&str, &str, u64)> {
    let rest = text.strip_prefix("=== FAIL: ")?;
    let (package, rest) = rest.split_once(' ')?;
    let (name, _time) = rest.rsplit_once('(')?;
    let name = name.trim();
    let (name, run) = match name.rsplit_once(" (re-run ") {
        Some((name, run)) => (name, run.strip_suffix(')')?.parse().ok()?),
        None => (name, 0),
    };
    Some((package, name, run))
}

struct Done {
    runs: u64,
    tests: u64,
    skipped: u64,
    failures: u64,
    errors: u64,
}

impl Done {
    fn read(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("DONE ")?;
        let (parts, _time) = rest.rsplit_once(" in ")?;
        let mut done = Self {
            runs: 1,
            tests: 0,
            skipped: 0,
            failures: 0,
            errors: 0,
        };
        for part in parts.split(", ") {
            let (number, what) = part.split_once(' ')?;
            let number = number.parse().ok()?;
            match what {
                "run" | "runs" => done.runs = number,
                "test" | "tests" => done.tests = number,
                "skipped" => done.skipped = number,
                "failure" | "failures" => done.failures = number,
                "error" | "errors" => done.errors = number,
                _ => return None,
            }
        }
        Some(done)
    }
}
