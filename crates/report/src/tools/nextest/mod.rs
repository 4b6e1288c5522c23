//! Reads `cargo nextest run` of all versions: with and without indented output,
//! retries, and the list of failures below the summary.

mod status;

use crate::session::{Evidence, Failure, Session, Sessions};
use crate::text::{Line, TextReader};
use crate::tools::Tool;

use status::{Status, Test, Verdict, counts, starts};

use crate::stack::rust::{RustOutput, infer_files};

pub(super) const TOOL: Tool =
    Tool::text::<Nextest>(&["Starting ", "Summary [", "error: no tests to run"], &[]);

#[derive(Default)]
struct Nextest {
    run: Option<Run>,
}

struct Run {
    session: Session,
    /// Tests whose latest attempt failed, in the order of their first failure.
    failed: Vec<Failed>,
    passed: u64,
    skipped: u64,
    /// The test whose output is being read.
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
    stream: Stream,
}

/// The current part of a test's output.
#[derive(PartialEq, Eq)]
enum Stream {
    /// No header of a stream was seen yet.
    Before,
    /// Below `  stdout ───`: everything is indented.
    Indented,
    /// Below `--- STDOUT: …`, the header of older versions, or not captured.
    Flush,
}

impl TextReader for Nextest {
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
            if output.line(line.text) {
                self.session.lines.1 = line.number;
            } else {
                self.settle();
            }
        }
    }

    /// Nothing of the run follows such a line.
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
                self.current = Some(Output::new(status, Stream::Flush));
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
                // Without capturing, the output comes before the verdict.
                self.settle();
                self.current = Some(Output::new(status, Stream::Before));
            }
            Verdict::Pending => {}
        }
    }

    fn fail(&mut self, status: &Status<'_>) {
        const MAX_FAILURES: usize = 5_000;
        if let Some(failed) = self.failed.iter_mut().find(|f| status.is_of(&f.test)) {
            status.words.clone_into(&mut failed.status);
        } else if self.failed.len() < MAX_FAILURES {
            self.failed.push(Failed {
                test: status.test(),
                status: status.words.to_owned(),
                output: RustOutput::default(),
            });
        }
    }

    /// The output of a test is complete; its failure keeps the latest one.
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
        // The beginning alone is unambiguous, and the harness's reports inside
        // must not be taken for separate runs.
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
        // Anything but a plain failure is missing in the output.
        if !self.status.ends_with("FAIL") {
            failure.error = format!("{}\n{}", self.status, failure.error);
        }
        failure
    }
}

impl Output {
    fn new(status: &Status<'_>, stream: Stream) -> Self {
        Self {
            test: status.test(),
            text: RustOutput::default(),
            stream,
        }
    }

    /// Whether the line belongs to the output.
    fn line(&mut self, text: &str) -> bool {
        let trimmed = text.trim_start();
        if let Some(stream) = Stream::begin(text) {
            self.stream = stream;
            return true;
        }
        let text = match self.stream {
            _ if trimmed.is_empty() => trimmed,
            Stream::Before => return false,
            Stream::Indented => match text.strip_prefix("    ") {
                Some(text) => text,
                None => return false,
            },
            Stream::Flush if is_status(text) => return true,
            Stream::Flush => text,
        };
        // The harness's report of the one test is redundant.
        let is_report = trimmed == "running 1 test"
            || trimmed == "failures:"
            || trimmed == self.test.name
            || trimmed.starts_with("test result: ")
            || (trimmed.starts_with("test ") && trimmed.contains(" ... "))
            || (trimmed.starts_with("---- ") && trimmed.ends_with(" stdout ----"));
        if !is_report {
            self.text.line(text, &self.test.name);
        }
        true
    }
}

impl Stream {
    fn begin(text: &str) -> Option<Self> {
        let is_indented = ["  stdout ─", "  stderr ─", "  output ─"]
            .iter()
            .any(|header| text.starts_with(header));
        let is_flush = ["--- STD", "--- TRY ", "──── STD", "──── TRY "]
            .iter()
            .any(|header| text.starts_with(header));
        if is_indented {
            Some(Self::Indented)
        } else {
            is_flush.then_some(Self::Flush)
        }
    }
}

/// Lines of the runner that may be between those of a test.
fn is_status(text: &str) -> bool {
    let trimmed = text.trim_start();
    trimmed.starts_with("Cancel") && trimmed.contains(" due to ")
        || text.starts_with("{\"type\":\"")
        || text.starts_with("warning: ")
}

/// A rule between parts. One with the name of a stream does not count.
fn is_rule(text: &str) -> bool {
    (text.starts_with("────") && text.chars().all(|c| c == '─')) || text == "------------"
}

/// The file of a binary id, if it follows the usual layout.
fn target(binary: &str) -> Option<String> {
    match binary.split_once("::") {
        None => Some("src/lib.rs".to_owned()),
        Some((_, test)) if !test.contains('/') => Some(format!("tests/{test}.rs")),
        Some(_) => None,
    }
}
