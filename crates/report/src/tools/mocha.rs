//! Reads Mocha: every reporter that ends with the usual epilogue (spec, dot,
//! min, list, nyan, …), also in parallel mode, and the JSON reporter.

use baton_protocol::Confidence;
use serde::Deserialize;

use super::Tool;
use crate::documents::Document;
use crate::excerpt::Excerpt;
use crate::json;
use crate::session::{self, Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::javascript::{Frames, assume_only_file, file_in_brackets, frame};
use crate::stack::trace;
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool {
    document: Some(Document::Json {
        has: |keys| keys.of_object(&["stats", "tests", "failures", "passes"]),
        read: document,
    }),
    ..Tool::text::<Mocha>(
        &["Error: No test files found", "Exception during run:"],
        &[" passing ("],
    )
};

#[derive(Default)]
struct Mocha {
    session: Option<Session>,
    state: State,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// `3 passing (2s)` was seen: `2 pending` and `8 failing` may follow.
    Counting { lines: u8 },
    /// Below `  1) suite`, while its title continues.
    Title { number: u64, titles: Vec<String> },
    /// Below the title.
    Failure(Box<Block>),
}

struct Block {
    number: u64,
    name: String,
    /// The number of titles in the name.
    depth: usize,
    /// A colon was removed from the last of them.
    had_colon: bool,
    error: Excerpt,
    frames: Frames,
    /// A frame of a test or hook: Mocha calls them with a `Context`.
    of_test: Option<(String, u64)>,
    /// A file in brackets, as in timeouts.
    named_file: Option<String>,
    has_ended: bool,
}

impl TextReader for Mocha {
    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if let Some(passed) = passing(text) {
            self.end(sessions);
            let mut session = Session::new("mocha", line.number);
            session.evidence = Evidence::Complete;
            session.counts.passed = passed;
            session.counts.run = passed;
            self.session = Some(session);
            self.state = State::Counting { lines: 0 };
        } else if is_fatal(text) {
            self.end(sessions);
            let mut session = Session::new("mocha", line.number);
            session.broke = true;
            sessions.push(session);
        } else {
            self.epilogue(text, sessions);
        }
        self.session.reach(line.number);
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_failure();
        self.state = State::Outside;
        if let Some(mut session) = self.session.take() {
            assume_only_file(&mut session.failures);
            sessions.push(session);
        }
    }
}

impl Mocha {
    fn epilogue(&mut self, text: &str, sessions: &mut Sessions) {
        if let Some(number) = self.next_number()
            && let Some(title) = numbered(text, number)
        {
            self.close_failure();
            self.state = State::Title {
                number,
                titles: vec![title.to_owned()],
            };
            self.end_title(text);
            return;
        }
        match &mut self.state {
            State::Outside => {}
            State::Counting { lines } => {
                *lines += 1;
                let is_over = *lines > 8 || self.count(text);
                if is_over {
                    self.end(sessions);
                }
            }
            State::Title { .. } => self.title(text),
            State::Failure(block) => {
                let is_last = self
                    .session
                    .as_ref()
                    .is_some_and(|s| block.number >= s.counts.failed);
                if is_last && block.is_left_by(text) {
                    self.end(sessions);
                } else {
                    block.push(text);
                }
            }
        }
    }

    /// The number of the next failure.
    fn next_number(&self) -> Option<u64> {
        match &self.state {
            State::Counting { .. } => Some(1),
            State::Failure(block) => Some(block.number + 1),
            _ => None,
        }
    }

    /// Reads `2 pending` and `8 failing`; returns whether the epilogue is over.
    fn count(&mut self, text: &str) -> bool {
        let Some(session) = &mut self.session else {
            return true;
        };
        let Some((number, word)) = text.trim_start().split_once(' ') else {
            return !text.is_empty();
        };
        match (number.parse::<u64>(), word) {
            (Ok(number), "pending") => session.counts.skipped = number,
            (Ok(number), "failing") => {
                session.counts.failed = number;
                session.counts.run = session.counts.passed.saturating_add(number);
            }
            _ => return true,
        }
        false
    }

    /// Titles are nested, one line each, and the last ends with a colon.
    fn title(&mut self, text: &str) {
        let State::Title { titles, .. } = &mut self.state else {
            return;
        };
        titles.push(text.trim().to_owned());
        self.end_title(text);
    }

    fn end_title(&mut self, text: &str) {
        /// Suites are not nested deeper in practice.
        const MAX_DEPTH: usize = 40;
        let State::Title { number, titles } = &mut self.state else {
            return;
        };
        if !text.ends_with(':') && titles.len() < MAX_DEPTH {
            return;
        }
        let block = Block::new(*number, titles);
        self.state = State::Failure(Box::new(block));
    }

    fn close_failure(&mut self) {
        let State::Failure(block) = std::mem::take(&mut self.state) else {
            return;
        };
        self.session.add(block.failure());
    }
}

impl Block {
    fn new(number: u64, titles: &[String]) -> Self {
        let mut name = titles.join(" > ");
        let had_colon = name.ends_with(':');
        if had_colon {
            name.pop();
        }
        Self {
            number,
            name,
            depth: titles.len(),
            had_colon,
            error: Excerpt::default(),
            frames: Frames::default(),
            of_test: None,
            named_file: None,
            has_ended: false,
        }
    }

    fn push(&mut self, text: &str) {
        self.has_ended = text.is_empty() && !self.frames.is_empty();
        if self.error.is_empty() {
            if text.is_empty() {
                self.depth = 0;
                return;
            }
            if self.goes_on_with_title(text) {
                return;
            }
            self.named_file = file_in_brackets(text);
        }
        self.error.push(text);
        if let Some((path, line)) = frame(text) {
            if self.of_test.is_none() && text.contains("at Context.") {
                self.of_test = Some((path.clone(), line));
            }
            self.frames.add(path, line);
        }
    }

    /// A suite whose own title ends with a colon looked like the last title; the
    /// next title is indented by two more columns, a message is not.
    fn goes_on_with_title(&mut self, text: &str) -> bool {
        let indent = text.len() - text.trim_start_matches(' ').len();
        let is_title = self.depth > 0 && indent == 5 + 2 * self.depth;
        if is_title {
            self.depth += 1;
            self.name
                .push_str(if self.had_colon { ": > " } else { " > " });
            self.name.push_str(text.trim());
            self.had_colon = self.name.ends_with(':');
            if self.had_colon {
                self.name.pop();
            }
        }
        is_title
    }

    /// Messages are not indented, so the last failure ends only at an empty line
    /// below its stack that is followed by something else.
    fn is_left_by(&self, text: &str) -> bool {
        let is_wrapper = [
            "npm ERR!",
            "npm error",
            "error Command failed",
            " ELIFECYCLE",
        ]
        .iter()
        .any(|start| text.starts_with(start));
        is_wrapper || (self.has_ended && !text.is_empty() && !text.starts_with("     "))
    }

    fn failure(self) -> Failure {
        let failure = Failure::named(self.name).because(self.error.text());
        if let Some((file, line)) = self.of_test {
            return failure.at(file, Some(line));
        }
        if let Some(file) = self.named_file {
            return failure.at(file, None);
        }
        match self.frames.place() {
            Some((file, line)) => failure.at(file, Some(*line)).sure(Confidence::Medium),
            None => failure,
        }
    }
}

/// `  3 passing (2s)`.
fn passing(text: &str) -> Option<u64> {
    let (number, time) = text.trim_start().split_once(" passing (")?;
    let is_time = time.ends_with(')') && time.starts_with(|c: char| c.is_ascii_digit());
    is_time.then(|| number.parse().ok())?
}

/// The title in `  1) title`, if it has this number.
fn numbered(text: &str, number: u64) -> Option<&str> {
    let (found, title) = text.strip_prefix("  ")?.split_once(") ")?;
    (found.parse() == Ok(number)).then_some(title)
}

fn is_fatal(text: &str) -> bool {
    text.starts_with("Error: No test files found") || text.starts_with("Exception during run:")
}

#[derive(Deserialize)]
struct Report {
    stats: Stats,
    failures: Vec<Test>,
}

#[derive(Deserialize)]
struct Stats {
    passes: u64,
    pending: u64,
    failures: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    full_title: String,
    file: Option<String>,
    err: Option<Thrown>,
}

#[derive(Default, Deserialize)]
struct Thrown {
    message: Option<String>,
    stack: Option<String>,
}

fn document(text: &[u8]) -> Option<Session> {
    let report: Report = json::first_value(text)?;
    let mut session = Session::new("mocha", 1);
    let stats = report.stats;
    session.counts = session::counts(stats.passes, stats.failures, 0, stats.pending);
    for test in report.failures {
        session.add(test_failure(test));
    }
    Some(session)
}

fn test_failure(test: Test) -> Failure {
    let thrown = test.err.unwrap_or_default();
    let (message, stack) = (
        thrown.message.unwrap_or_default(),
        thrown.stack.unwrap_or_default(),
    );
    let failure = Failure::named(test.full_title).because(trace::error(&message, &stack));
    trace::placed(failure, &stack, test.file, None)
}
