//! Reads Python's `unittest`, quiet and verbose, and the runners that print like
//! it: Django's, nose2, unittest-xml-reporting.

mod name;

use baton_protocol::report::Counts;

use crate::excerpt;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::python::{Frame, Traceback};
use crate::text::{Line, TextReader};
use crate::tools::Tool;
use name::TestName;

pub(super) const TOOL: Tool =
    Tool::text::<Unittest>(&[DOUBLE_RULE, "Ran ", "Failure in ", "Error in "], &[])
        .woken_by_ends(&[DOUBLE_RULE]);

#[derive(Default)]
struct Unittest {
    session: Option<Session>,
    state: State,
    /// Tests that ran and failed. One may fail several times, in subtests or
    /// again in its teardown.
    failed_tests: Vec<String>,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Below a line of `=`; a header should follow.
    Ruled,
    /// Below a header.
    Failure(Box<OpenFailure>),
    /// `Ran 3 tests in 0.001s` was seen; the verdict follows.
    Counted { run: u64 },
}

struct OpenFailure {
    name: TestName,
    traceback: Traceback,
    part: Part,
    /// The latest line was a line of `=`, which ends the failure if a header
    /// follows.
    ruled: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The lines above the dashes: the test's docstring.
    Header,
    Traceback,
    /// What the test printed, if the runner captures it.
    Output,
}

const DOUBLE_RULE: &str = "======================================================================";
const RULE: &str = "----------------------------------------------------------------------";
/// The error of a test that passed although it was expected to fail.
const UNEXPECTED_SUCCESS: &str = "unexpected success";

impl TextReader for Unittest {
    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if let Some(run) = ran(text) {
            self.close_failure();
            self.session(line.number);
            self.state = State::Counted { run };
        } else {
            match &mut self.state {
                State::Outside if is_rule(text) => self.state = State::Ruled,
                State::Outside | State::Failure(_) if TestName::from_green(text).is_some() => {
                    self.green(line);
                }
                State::Outside => {}
                State::Ruled => {
                    self.state = State::Outside;
                    self.header(line);
                }
                State::Failure(failure) => {
                    // Unexpected successes share one line of `=`.
                    let may_follow = failure.ruled
                        || (failure.name.is_unexpected_success()
                            && text.starts_with("UNEXPECTED SUCCESS: "));
                    if !(may_follow && self.header(line)) {
                        self.body(text);
                    }
                }
                State::Counted { run } => {
                    let run = *run;
                    self.verdict(text, run, sessions);
                }
            }
        }
        self.session.reach(line.number);
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_failure();
        self.failed_tests.clear();
        if let Some(mut session) = self.session.take()
            && !session.failures.is_empty()
        {
            // Truncated before the summary: only the listed failures are known.
            session.counts.failed = session.failures.len() as u64;
            session.counts.run = session.counts.failed;
            sessions.push(session);
        }
    }
}

impl Unittest {
    fn session(&mut self, number: u64) -> &mut Session {
        self.session.begin("unittest", number)
    }

    /// Whether the line is a header; the failure above it is then complete.
    fn header(&mut self, line: Line<'_>) -> bool {
        let Some(name) = TestName::from_header(line.text) else {
            return false;
        };
        self.close_failure();
        self.session(line.number);
        self.state = State::Failure(Box::new(OpenFailure {
            name,
            traceback: Traceback::default(),
            part: Part::Header,
            ruled: false,
        }));
        true
    }

    /// Green prints no lines around the name.
    fn green(&mut self, line: Line<'_>) {
        let Some(name) = TestName::from_green(line.text) else {
            return;
        };
        self.close_failure();
        self.session(line.number);
        self.state = State::Failure(Box::new(OpenFailure {
            name,
            traceback: Traceback::default(),
            part: Part::Traceback,
            ruled: false,
        }));
    }

    fn body(&mut self, text: &str) {
        let State::Failure(failure) = &mut self.state else {
            return;
        };
        failure.ruled = text == DOUBLE_RULE;
        if failure.ruled {
            return;
        }
        match failure.part {
            Part::Header if text == RULE => failure.part = Part::Traceback,
            Part::Header => failure.name.complete(text),
            Part::Traceback if matches!(text, "Stdout:" | "Stderr:" | "Slowest test durations") => {
                failure.part = Part::Output;
            }
            Part::Traceback if text != RULE => failure.traceback.line(text),
            Part::Traceback | Part::Output => {}
        }
    }

    fn close_failure(&mut self) {
        /// As many failures as a session keeps.
        const MAX_FAILURES: usize = 10_000;
        let State::Failure(open) = std::mem::take(&mut self.state) else {
            return;
        };
        let OpenFailure {
            name,
            traceback,
            part,
            ..
        } = *open;
        if part == Part::Header && !name.is_unexpected_success() {
            // Without a traceback, it was printed by a test.
            return;
        }
        if let Some(test) = name.test()
            && self.failed_tests.len() < MAX_FAILURES
        {
            self.failed_tests.push(test);
        }
        let mut failure = Failure::named(name.full());
        if let Some(frame) = place(&name, &traceback) {
            failure = failure.at(frame.file.clone(), Some(frame.line));
        } else if let Some(file) = name.likely_file() {
            failure = failure.at(file, None);
        }
        let error = if name.is_unexpected_success() {
            UNEXPECTED_SUCCESS.to_owned()
        } else {
            excerpt::cut(&traceback.error())
        };
        self.session.add(failure.because(error));
    }

    fn verdict(&mut self, text: &str, run: u64, sessions: &mut Sessions) {
        if text.is_empty() {
            return;
        }
        self.state = State::Outside;
        let mut failed_tests = std::mem::take(&mut self.failed_tests);
        let Some(mut session) = self.session.take() else {
            return;
        };
        let is_verdict = ["OK", "FAILED", "NO TESTS RAN"].iter().any(|word| {
            text.strip_prefix(word)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
        });
        if !is_verdict {
            return;
        }
        failed_tests.sort();
        failed_tests.dedup();
        session.evidence = Evidence::Complete;
        session.counts = counts(text, run, failed_tests.len() as u64);
        session.broke = text == "NO TESTS RAN";
        sessions.push(session);
    }
}

/// The first frame in the test's own module, or else the project's outermost
/// frame.
fn place<'a>(name: &TestName, traceback: &'a Traceback) -> Option<&'a Frame> {
    name.likely_files()
        .iter()
        .find_map(|file| traceback.frames.in_file(file))
        .or_else(|| traceback.frames.own())
        .or_else(|| traceback.frames.iter().next())
}

/// Subtests fail one by one but run as one test, and fixtures of classes and
/// modules fail without being tests, so the number of passed tests cannot be
/// derived from the failures alone.
fn counts(verdict: &str, run: u64, failed_tests: u64) -> Counts {
    let count = |label: &str| {
        verdict
            .split(['(', ',', ')'])
            .find_map(|part| part.trim().strip_prefix(label)?.parse::<u32>().ok())
            .map_or(0, u64::from)
    };
    let failed = count("failures=") + count("unexpected successes=");
    let errors = count("errors=");
    let skipped = count("skipped=") + count("skips=") + count("expected failures=");
    // Unexpected successes are not in the list of failures.
    let failed_tests = if failed_tests == 0 {
        // The failures were printed in another way.
        failed + errors
    } else {
        failed_tests + count("unexpected successes=")
    };
    let passed = run.saturating_sub(skipped + failed_tests);
    Counts {
        run: passed + failed + errors,
        passed,
        failed,
        skipped,
        errors,
    }
}

/// testtools prints the first one behind the dots.
fn is_rule(text: &str) -> bool {
    text.strip_suffix(DOUBLE_RULE)
        .is_some_and(|dots| dots.len() < 500 && dots.bytes().all(|dot| b".sEFxu".contains(&dot)))
}

fn ran(text: &str) -> Option<u64> {
    let (count, rest) = text.strip_prefix("Ran ")?.split_once(' ')?;
    if !rest.starts_with("test in ") && !rest.starts_with("tests in ") {
        return None;
    }
    count.parse::<u32>().ok().map(u64::from)
}
