//! Reads Vitest: the default, verbose, basic, dot, tree and JSON reporters.

use baton_protocol::Confidence;

use super::{Tool, jest};
use crate::documents::Document;
use crate::excerpt::Excerpt;
use crate::place::looks_like_a_file;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::javascript::Frames;
use crate::tally;
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool {
    document: Some(Document::Json {
        has: |keys| keys.of_object(&["testResults", "numTotalTests"]),
        read: |text| jest::read_document("vitest", text),
    }),
    ..Tool::text::<Vitest>(
        &[
            "RUN  v",
            "DEV  v",
            "⎯⎯⎯",
            "× ",
            "❯ ",
            "✓ ",
            "Test Files  ",
            "No test files found, exiting with code 1",
            "ERROR: Coverage for ",
        ],
        &[],
    )
};

#[derive(Default)]
struct Vitest {
    session: Option<Session>,
    state: State,
    /// ` RUN  v3.2.4 /home/dev/app` was seen.
    has_begun: bool,
    suites_failed: u64,
    listed: Listed,
}

/// The results in the list before the failures are explained. Nothing else is
/// known if the run was truncated.
#[derive(Default)]
struct Listed {
    file: Option<String>,
    failures: Vec<Failure>,
    tests: u64,
    failed: u64,
    skipped: u64,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Below a rule `Failed Suites` or `Failed Tests`, and between the failures
    /// there.
    Section,
    /// Below one or more ` FAIL  ` headers that share an error.
    Failure(Box<Block>),
    /// Below a rule `Unhandled Errors` or `Startup Error`.
    Unhandled,
    /// Files were counted; tests, errors and times follow.
    Counting,
}

struct Block {
    /// Names with their files.
    tests: Vec<(String, Option<String>)>,
    error: Excerpt,
    frames: Frames,
    is_unhandled: bool,
}

impl TextReader for Vitest {
    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        let trimmed = text.trim_start();
        if trimmed.starts_with("⎯⎯⎯") {
            self.rule(trimmed, line.number);
        } else if is_beginning(text) {
            self.end(sessions);
            self.has_begun = true;
            self.session(line.number);
        } else if text.starts_with(" Test Files  ") || text.starts_with("Test Files  ") {
            self.close_failure();
            self.suites_failed = tally::count(text, "failed");
            self.session(line.number);
            self.state = State::Counting;
        } else if is_fatal(text) {
            self.session(line.number).broke = true;
        } else if matches!(self.state, State::Counting) {
            self.count(trimmed, sessions);
        } else if matches!(self.state, State::Outside) {
            if self.has_begun {
                self.listed.see(text);
            }
        } else {
            self.explain(text);
        }
        self.session.reach(line.number);
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_failure();
        let has_counts = matches!(self.state, State::Counting);
        if let Some(mut session) = self.session.take() {
            if !has_counts {
                self.listed.stand_in(&mut session);
            }
            if has_counts || session.failed() {
                sessions.push(session);
            }
        }
        *self = Self::default();
    }
}

impl Vitest {
    fn session(&mut self, number: u64) -> &mut Session {
        self.session.begin("vitest", number)
    }

    /// `⎯⎯⎯ Failed Tests 8 ⎯⎯⎯`, `⎯⎯⎯[1/9]⎯`, `⎯⎯⎯ Uncaught Exception ⎯⎯⎯`.
    fn rule(&mut self, text: &str, number: u64) {
        let words = text.trim_matches('⎯').trim();
        let in_unhandled = match &self.state {
            State::Failure(block) => block.is_unhandled,
            state => matches!(state, State::Unhandled),
        };
        self.close_failure();
        if words.starts_with("Failed Suites ") || words.starts_with("Failed Tests ") {
            self.session(number);
            self.state = State::Section;
        } else if words.starts_with("Unhandled ") && words.ends_with('s') {
            self.session(number).broke = true;
            self.state = State::Unhandled;
        } else if words == "Startup Error" {
            self.session(number).broke = true;
        } else if words.is_empty() || words.starts_with('[') {
            self.state = match (&self.session, in_unhandled) {
                (None, _) => State::Outside,
                (_, true) => State::Unhandled,
                (_, false) => State::Section,
            };
        } else if in_unhandled {
            self.state = State::Failure(Box::new(Block::new(None)));
        }
    }

    /// A line of a section with explained failures.
    fn explain(&mut self, text: &str) {
        if let Some(header) = text.strip_prefix(" FAIL  ") {
            let title = titled(header);
            match &mut self.state {
                State::Failure(block) if block.error.is_empty() => block.tests.push(title),
                _ => {
                    self.close_failure();
                    self.state = State::Failure(Box::new(Block::new(Some(title))));
                }
            }
        } else if let State::Failure(block) = &mut self.state {
            block.push(text);
        }
    }

    fn close_failure(&mut self) {
        if let State::Failure(block) = &mut self.state {
            if let Some(session) = &mut self.session {
                for failure in block.failures() {
                    session.add(failure);
                }
            }
            self.state = State::Outside;
        }
    }

    fn count(&mut self, text: &str, sessions: &mut Sessions) {
        let Some(session) = &mut self.session else {
            return;
        };
        if let Some(tests) = text.strip_prefix("Tests  ") {
            let count = |label| tally::count(tests, label);
            session.counts.failed = count("failed");
            session.counts.passed = count("passed");
            session.counts.skipped = count("skipped") + count("todo");
            session.counts.run = session.counts.failed + session.counts.passed;
            session.broke |= self.suites_failed > 0 && session.counts.failed == 0;
            session.evidence = if self.has_begun {
                Evidence::Complete
            } else {
                Evidence::Summary
            };
        } else if text.starts_with("Errors  ") {
            session.broke = true;
        } else if text.starts_with("Duration  ") {
            self.end(sessions);
        }
    }
}

impl Block {
    fn new(test: Option<(String, Option<String>)>) -> Self {
        let file = test.as_ref().and_then(|(_, file)| file.as_deref());
        Self {
            is_unhandled: test.is_none(),
            frames: Frames::for_test_file(file),
            tests: test.into_iter().collect(),
            error: Excerpt::default(),
        }
    }

    fn push(&mut self, text: &str) {
        if !(self.error.is_empty() && text.is_empty()) {
            self.error.push(text);
        }
        self.frames.see(text);
    }

    fn failures(&mut self) -> Vec<Failure> {
        let error = self.error.take();
        if self.is_unhandled {
            let message = error.lines().next().unwrap_or("unknown");
            let message = message.split_once("Error: ").map_or(message, |(_, m)| m);
            let mut failure = Failure::named(format!("Unhandled error: {message}"));
            if let Some((file, line)) = self.frames.place() {
                failure = failure.at(file, Some(*line));
            }
            return vec![failure.because(error)];
        }
        let line = self.frames.line_in_test();
        std::mem::take(&mut self.tests)
            .into_iter()
            .map(|(name, file)| {
                let mut failure = Failure::named(name).because(error.as_str());
                if let Some(file) = file {
                    failure = failure.at(file, line);
                }
                failure
            })
            .collect()
    }
}

impl Listed {
    fn see(&mut self, text: &str) {
        /// Enough for every real run.
        const MAX_FAILURES: usize = 1_000;
        let line = text.trim_start();
        let Some((mark, rest)) = line.split_once(' ') else {
            return;
        };
        if let Some((file, tests)) = rest.split_once(" (")
            && looks_like_a_file(file.rsplit(' ').next().unwrap_or(file))
            && tests.contains(" test")
        {
            let numbers = tests.split(')').next().unwrap_or("");
            self.file = Some(file.trim_start_matches('|').to_owned());
            self.failed += tally::count(numbers, "failed");
            self.skipped += tally::count(numbers, "skipped");
            self.tests += tally::count(numbers, "tests") + tally::count(numbers, "test");
        } else if mark == "×" && self.failures.len() < MAX_FAILURES {
            let (name, file) = match titled(without_duration(rest)) {
                (name, Some(file)) => (name, Some(file)),
                (name, None) => (name, self.file.clone()),
            };
            let mut failure = Failure::named(name).sure(Confidence::Medium);
            failure.file = file;
            self.failures.push(failure);
        }
    }

    fn stand_in(&mut self, session: &mut Session) {
        for failure in std::mem::take(&mut self.failures) {
            if !session.failures.iter().any(|f| f.name == failure.name) {
                session.add(failure);
            }
        }
        let failures = session.failures.len() as u64;
        session.counts.failed = self.failed.max(if session.broke { 0 } else { failures });
        session.counts.skipped = self.skipped;
        let passed = self.tests.saturating_sub(self.failed + self.skipped);
        session.counts.passed = passed;
        session.counts.run = passed + session.counts.failed;
    }
}

fn is_beginning(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("RUN  v") || text.starts_with("DEV  v")
}

fn is_fatal(text: &str) -> bool {
    text.starts_with("No test files found, exiting with code 1")
        || text.starts_with("ERROR: Coverage for ")
}

/// `test/a.test.ts > group > name` and `test/a.test.ts [ test/a.test.ts ]`: the
/// test's name and its file. A project's name may be before it.
fn titled(header: &str) -> (String, Option<String>) {
    let header = header.trim();
    let header = match header.strip_prefix('|').and_then(|h| h.split_once("| ")) {
        Some((_, rest)) => rest.trim_start(),
        None => header,
    };
    if let Some((file, _)) = header.split_once(" [ ")
        && looks_like_a_file(file)
    {
        return (file.to_owned(), Some(file.to_owned()));
    }
    if let Some((file, name)) = header.split_once(" > ") {
        // In colour, a project's name is only a word before the path.
        let path = file.rsplit("  ").next().unwrap_or(file);
        if looks_like_a_file(path) {
            return (name.to_owned(), Some(path.to_owned()));
        }
    }
    (header.to_owned(), None)
}

/// Removes the duration at the end of a listed result: `adds items 12ms`.
fn without_duration(text: &str) -> &str {
    match text.rsplit_once(' ') {
        Some((name, time))
            if time.ends_with("ms") && time.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            name
        }
        _ => text,
    }
}
