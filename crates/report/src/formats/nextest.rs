//! `cargo nextest run`, of all ages: with and without indented output, retries,
//! and the list of failures below the summary.

use baton_protocol::report::Counts;

use crate::format::{Format, Line, Trigger};
use crate::session::{Evidence, Failure, Session, Sessions};

use super::rust_output::{RustOutput, infer_files};

#[derive(Default)]
pub(crate) struct Nextest {
    run: Option<Run>,
}

struct Run {
    session: Session,
    /// Tests whose latest attempt failed, in the order of their first failure.
    failed: Vec<Failed>,
    passed: u64,
    skipped: u64,
    /// Whose output goes by.
    current: Option<Output>,
    summarised: bool,
}

struct Failed {
    test: Test,
    /// `FAIL`, `SIGABRT`, `TRY 2 TMT`.
    status: String,
    output: RustOutput,
}

struct Output {
    test: Test,
    text: RustOutput,
}

#[derive(Clone, PartialEq, Eq)]
struct Test {
    binary: String,
    name: String,
}

impl Format for Nextest {
    fn triggers(&self) -> &'static [Trigger] {
        &[
            Trigger::Start("Starting "),
            Trigger::Start("Summary ["),
            Trigger::Start("error: no tests to run"),
        ]
    }

    fn awake(&self) -> bool {
        self.run.is_some()
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if starts(text) {
            self.close(sessions);
            self.run = Some(Run::new(line.number));
            return;
        }
        if self.run.is_none() && counts(text).is_some() {
            self.run = Some(Run::new(line.number));
        }
        let Some(run) = &mut self.run else {
            return;
        };
        match text {
            "error: test run failed" => run.session.lines.1 = line.number,
            "error: no tests to run" => run.session.broke = true,
            _ if run.is_past(text) => {}
            _ => return run.line(line),
        }
        self.close(sessions);
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close(sessions);
    }
}

impl Nextest {
    fn close(&mut self, sessions: &mut Sessions) {
        if let Some(run) = self.run.take() {
            sessions.push(run.into_session());
        }
    }
}

impl Run {
    fn new(number: u64) -> Self {
        Self {
            session: Session::new("nextest", number),
            failed: Vec::new(),
            passed: 0,
            skipped: 0,
            current: None,
            summarised: false,
        }
    }

    fn line(&mut self, line: Line<'_>) {
        if let Some(counts) = counts(line.text) {
            self.session.counts = counts;
            self.session.lines.1 = line.number;
            self.summarised = true;
            self.settle();
        } else if let Some(status) = Status::read(line.text) {
            self.session.lines.1 = line.number;
            self.status(&status);
        } else if is_rule(line.text) {
            self.settle();
        } else if let Some(output) = &mut self.current {
            self.session.lines.1 = line.number;
            output.line(line.text);
        }
    }

    /// Nothing of the run comes after such a line.
    fn is_past(&self, text: &str) -> bool {
        self.summarised
            && self.current.is_none()
            && !text.is_empty()
            && !text.starts_with([' ', '{', '─'])
            && !text.starts_with("warning: ")
            && Status::read(text).is_none()
    }

    fn status(&mut self, status: &Status<'_>) {
        match status.verdict {
            Verdict::Started => {
                self.settle();
                self.current = Some(Output::of(status));
            }
            Verdict::Passed => {
                self.failed.retain(|failed| !status.is_of(&failed.test));
                self.settle();
                self.passed += u64::from(!self.summarised);
            }
            Verdict::Skipped => {
                self.settle();
                self.skipped += u64::from(!self.summarised);
            }
            Verdict::Failed => {
                self.fail(status);
                // Without capturing, the output came before the verdict.
                self.settle();
                self.current = Some(Output::of(status));
            }
            Verdict::Pending => {}
        }
    }

    fn fail(&mut self, status: &Status<'_>) {
        const MOST: usize = 5_000;
        if let Some(failed) = self.failed.iter_mut().find(|f| status.is_of(&f.test)) {
            status.words.clone_into(&mut failed.status);
        } else if self.failed.len() < MOST {
            self.failed.push(Failed {
                test: status.test(),
                status: status.words.to_owned(),
                output: RustOutput::default(),
            });
        }
    }

    /// The output of a test is complete: its failure keeps the latest.
    fn settle(&mut self) {
        let Some(output) = self.current.take() else {
            return;
        };
        if let Some(failed) = self.failed.iter_mut().find(|f| f.test == output.test)
            && !output.text.is_empty()
        {
            failed.output = output.text;
        }
    }

    fn into_session(mut self) -> Session {
        self.settle();
        // The beginning alone is unmistakable, and the harness's reports that
        // lie within must not be taken for runs of their own.
        self.session.evidence = Evidence::Complete;
        if !self.summarised {
            let counts = &mut self.session.counts;
            counts.failed = self.failed.len() as u64;
            counts.passed = self.passed;
            counts.skipped = self.skipped;
            counts.run = counts.passed + counts.failed;
        }
        let mut binaries: Vec<(String, Vec<Failure>)> = Vec::new();
        for failed in self.failed {
            let binary = failed.test.binary.clone();
            let failure = failed.into_failure();
            match binaries.iter_mut().find(|(name, _)| *name == binary) {
                Some((_, failures)) => failures.push(failure),
                None => binaries.push((binary, vec![failure])),
            }
        }
        for (binary, mut failures) in binaries {
            infer_files(&mut failures, target(&binary).as_deref());
            for failure in failures {
                self.session.add(failure);
            }
        }
        self.session
    }
}

impl Failed {
    fn into_failure(self) -> Failure {
        let mut failure = self.output.explain(Failure::named(self.test.name));
        // Whatever is more than a plain failure is not in the output.
        if !self.status.ends_with("FAIL") {
            failure.error = format!("{}\n{}", self.status, failure.error);
        }
        failure
    }
}

impl Output {
    fn of(status: &Status<'_>) -> Self {
        Self {
            test: status.test(),
            text: RustOutput::default(),
        }
    }

    fn line(&mut self, text: &str) {
        let trimmed = text.trim_start();
        let is_header = trimmed.starts_with("--- STD")
            || ["stdout ─", "stderr ─", "output ─"]
                .iter()
                .any(|header| trimmed.starts_with(header));
        // The harness's report of the one test says nothing new.
        let is_report = trimmed == "running 1 test"
            || trimmed == "failures:"
            || trimmed == self.test.name
            || trimmed.starts_with("test result: ")
            || (trimmed.starts_with("test ") && trimmed.contains(" ... "))
            || (trimmed.starts_with("---- ") && trimmed.ends_with(" stdout ----"));
        if !is_header && !is_report {
            self.text.line(text, &self.test.name);
        }
    }
}

/// `        FAIL [   0.013s] ( 1/14) app tests::reads`
struct Status<'a> {
    words: &'a str,
    verdict: Verdict,
    binary: &'a str,
    name: &'a str,
}

enum Verdict {
    Started,
    Passed,
    Failed,
    Skipped,
    /// Slow, about to be retried or to be ended: not final.
    Pending,
}

impl<'a> Status<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (words, rest) = labelled(text)?;
        let (time, rest) = rest.split_once(']')?;
        let time = time.trim_start_matches(['>', ' ']);
        if !time.is_empty() && !time.strip_suffix('s')?.bytes().all(is_of_number) {
            return None;
        }
        let mut rest = rest.trim_start();
        if rest.starts_with('(') {
            rest = rest.split_once(')')?.1.trim_start();
        }
        let (binary, name) = rest.split_once(' ')?;
        Some(Self {
            words,
            verdict: Verdict::read(words)?,
            binary,
            name: name.trim(),
        })
    }

    fn test(&self) -> Test {
        Test {
            binary: self.binary.to_owned(),
            name: self.name.to_owned(),
        }
    }

    fn is_of(&self, test: &Test) -> bool {
        test.binary == self.binary && test.name == self.name
    }
}

impl Verdict {
    fn read(words: &str) -> Option<Self> {
        let attempt = words.strip_prefix("TRY ").and_then(|w| w.split_once(' '));
        let word = attempt.map_or(words, |(_, word)| word);
        let first = word.split([' ', '-']).next()?;
        Some(match first {
            "START" => Self::Started,
            "SKIP" => Self::Skipped,
            "SLOW" | "TERMINATING" | "KILLING" | "RETRY" | "DELAY" => Self::Pending,
            _ if matches!(word, "TIMEOUT-PASS" | "TMPASS") => Self::Passed,
            "LEAK" if word.contains("FAIL") => Self::Failed,
            "PASS" | "LEAK" | "FLAKY" => Self::Passed,
            "FAIL" | "TIMEOUT" | "TMT" | "XFAIL" | "ABORT" | "ABRT" | "SEGV" | "FLKY" | "FL+LK"
            | "LKFAIL" | "SIG" => Self::Failed,
            _ if first.starts_with("SIG") => Self::Failed,
            // Signals have short names in the lines of attempts.
            _ if attempt.is_some() && first.bytes().all(|b| b.is_ascii_uppercase()) => Self::Failed,
            _ => return None,
        })
    }
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'.'
}

/// A label that ends at the twelfth column, and what follows the bracket. The
/// same words further right are output of a test.
fn labelled(text: &str) -> Option<(&str, &str)> {
    const WIDTH: usize = 12;
    let (label, rest) = text.split_once(" [")?;
    let words = label.trim_start();
    let in_place = label.len() == WIDTH || (words.len() > WIDTH && words.len() == label.len());
    (in_place && words.starts_with(|c: char| c.is_ascii_uppercase())).then_some((words, rest))
}

/// `    Starting 14 tests across 4 binaries (1 test skipped)`
fn starts(text: &str) -> bool {
    text.strip_prefix("    Starting ")
        .and_then(|rest| rest.split_once(" test"))
        .is_some_and(|(count, rest)| {
            count.bytes().all(|b| b.is_ascii_digit()) && rest.contains(" across ")
        })
}

/// `     Summary [   2.1s] 14 tests run: 4 passed (1 slow), 9 failed, 1 skipped`
fn counts(text: &str) -> Option<Counts> {
    let (label, rest) = labelled(text)?;
    if label != "Summary" {
        return None;
    }
    let (_, results) = rest.split_once(" run: ")?;
    let mut counts = Counts::default();
    let mut depth = 0_u32;
    let outside: String = results
        .chars()
        .filter(|c| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        })
        .collect();
    for result in outside.split(", ") {
        let Some((number, what)) = result.trim().split_once(' ') else {
            continue;
        };
        let Ok(number) = number.parse::<u64>() else {
            continue;
        };
        match what.trim() {
            "passed" => counts.passed = number,
            "skipped" => counts.skipped = number,
            _ => counts.failed = counts.failed.saturating_add(number),
        }
    }
    counts.run = counts.passed.saturating_add(counts.failed);
    Some(counts)
}

/// A rule between parts. One that carries the name of a stream is none.
fn is_rule(text: &str) -> bool {
    text.starts_with("────") && text.chars().all(|c| c == '─')
}

/// The file of a binary id, where the usual layout tells it.
fn target(binary: &str) -> Option<String> {
    match binary.split_once("::") {
        None => Some("src/lib.rs".to_owned()),
        Some((_, test)) if !test.contains('/') => Some(format!("tests/{test}.rs")),
        Some(_) => None,
    }
}
