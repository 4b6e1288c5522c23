//! Reads whole report files, and text chunk by chunk, into a report.

use baton_protocol::report::TestReport;

use crate::arbiter::{self, Step};
use crate::ci::{Unwrapped, Unwrapper};
use crate::documents;
use crate::lines::{LineSplitter, RawLine, cleaned};
use crate::session::Sessions;
use crate::steps::Steps;
use crate::tail::Tail;
use crate::text::Dispatcher;

/// Reads a whole document: a report file or the text of a run or CI log.
pub fn read(bytes: &[u8]) -> TestReport {
    if let Some(sessions) = documents::read(bytes) {
        let step = Step {
            sessions,
            ..Step::default()
        };
        return arbiter::judge(vec![step], None);
    }
    let mut reader = Reader::new();
    reader.feed(bytes);
    reader.finish()
}

/// A text as a terminal would display it: without escape sequences, and after
/// the last rewrite of progress lines.
pub fn plain_text(text: &str) -> String {
    let mut scratch = Vec::new();
    let lines = text
        .lines()
        .map(|line| String::from_utf8_lossy(cleaned(line.as_bytes(), &mut scratch)).into_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether the beginning of a file looks like a report file, which must be read
/// as a whole, rather than a log, which can be read in chunks.
pub fn looks_like_a_document(beginning: &[u8]) -> bool {
    let bytes = beginning
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(beginning)
        .trim_ascii_start();
    // JSON lines, one event each, are a log.
    let first_line = bytes
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    match bytes.first() {
        Some(b'<') => true,
        Some(b'{' | b'[') => {
            !first_line.trim_ascii_end().ends_with(b"}") || first_line.len() == bytes.len()
        }
        _ => false,
    }
}

/// Reads text chunk by chunk, in memory that does not grow with the text.
pub struct Reader {
    splitter: LineSplitter,
    expected: Option<&'static str>,
    inner: Inner,
}

struct Inner {
    unwrapper: Unwrapper,
    output: Output,
    number: u64,
}

/// Processes the programs' own lines.
struct Output {
    dispatcher: Dispatcher,
    sessions: Sessions,
    steps: Steps,
    step: Step,
    tail: Option<Tail>,
    scratch: Vec<u8>,
    /// Whether the current line may contain escape sequences.
    has_controls: bool,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

impl Reader {
    pub fn new() -> Self {
        Self {
            splitter: LineSplitter::default(),
            expected: None,
            inner: Inner {
                unwrapper: Unwrapper::default(),
                output: Output {
                    dispatcher: Dispatcher::new(),
                    sessions: Sessions::default(),
                    steps: Steps::default(),
                    step: Step::default(),
                    tail: None,
                    scratch: Vec::new(),
                    has_controls: false,
                },
                number: 0,
            },
        }
    }

    /// The framework that is known to run. If its output is found, the output of
    /// other frameworks is ignored.
    #[must_use]
    pub fn expecting(mut self, framework: &'static str) -> Self {
        self.expected = Some(framework);
        self
    }

    /// Also keeps the last lines of what failed, for
    /// [`finish_with_tail`](Self::finish_with_tail).
    #[must_use]
    pub fn keeping_tail(mut self) -> Self {
        self.inner.output.tail = Some(Tail::default());
        self
    }

    pub fn feed(&mut self, chunk: &[u8]) {
        let Self {
            splitter, inner, ..
        } = self;
        splitter.feed(chunk, |line| inner.line(line));
    }

    pub fn finish(self) -> TestReport {
        self.finish_with_tail().0
    }

    /// The report and, if they were [kept](Self::keeping_tail), the last lines
    /// of the failed step, or of the whole log if no step failed.
    pub fn finish_with_tail(self) -> (TestReport, String) {
        let Self {
            splitter,
            mut inner,
            expected,
        } = self;
        splitter.finish(|line| inner.line(line));
        let (steps, tail) = inner.finish();
        (arbiter::judge(steps, expected), tail)
    }
}

impl Inner {
    fn line(&mut self, raw: RawLine<'_>) {
        self.number += 1;
        let Self {
            unwrapper,
            output,
            number,
        } = self;
        output.has_controls = raw.has_controls;
        unwrapper.line(raw.bytes, |event| output.take(event, *number));
    }

    fn finish(self) -> (Vec<Step>, String) {
        let Self {
            mut unwrapper,
            mut output,
            number,
        } = self;
        unwrapper.finish(|event| output.take(event, number));
        output.close_step();
        let tail = output.tail.map(Tail::into_text).unwrap_or_default();
        (output.steps.into_vec(), tail)
    }
}

impl Output {
    fn take(&mut self, event: Unwrapped<'_>, number: u64) {
        match event {
            Unwrapped::Output(line) => {
                let line = if self.has_controls {
                    cleaned(line, &mut self.scratch)
                } else {
                    line.trim_ascii_end()
                };
                if let Some(tail) = &mut self.tail {
                    tail.line(line);
                }
                self.dispatcher.line(line, number, &mut self.sessions);
            }
            Unwrapped::Job => {
                self.close_step();
                self.step.job += 1;
            }
            Unwrapped::Step(name) => {
                self.close_step();
                self.step.name = Some(String::from_utf8_lossy(name).into_owned());
                if let Some(tail) = &mut self.tail {
                    tail.step();
                }
            }
            Unwrapped::StepFailed => {
                self.step.failed = true;
                if let Some(tail) = &mut self.tail {
                    tail.step_failed();
                }
            }
        }
    }

    fn close_step(&mut self) {
        self.dispatcher.end(&mut self.sessions);
        let next = Step {
            job: self.step.job,
            ..Step::default()
        };
        let mut step = std::mem::replace(&mut self.step, next);
        step.sessions = std::mem::take(&mut self.sessions).into_vec();
        if !step.failed && step.sessions.is_empty() {
            return;
        }
        self.steps.push(step);
    }
}
