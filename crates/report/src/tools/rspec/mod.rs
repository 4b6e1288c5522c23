//! Reads `RSpec`: the progress and documentation formatters, and what both print
//! at the end.

mod json;

use baton_protocol::Confidence;

use crate::excerpt::Excerpt;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::ruby::{self, Backtrace};
use crate::text::{Line, TextReader};
use crate::tools::Tool;

pub(super) const TOOL: Tool = Tool {
    document: Some(json::DOCUMENT),
    ..Tool::text::<Rspec>(
        &[
            "Failures:",
            "Pending: (Failures listed here",
            "An error occurred ",
            "Finished in ",
        ],
        &[],
    )
};

#[derive(Default)]
struct Rspec {
    session: Option<Session>,
    state: State,
    block: Option<Block>,
    /// Failures listed below the latest `Failures:`. Only the summary shows that
    /// `RSpec` listed them, rather than an example that printed such lines.
    listed: Vec<Failure>,
    /// Errors outside of examples, likewise.
    outside: Vec<Failure>,
    /// Lines since the last one that was recognised.
    idle: u32,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// Below `Pending:`, whose entries look like failures.
    Pending,
    /// Below `Failures:`.
    Failures,
    /// Below `An error occurred …`.
    OutsideOfExamples,
    /// Between the lists and `Finished in`.
    Waiting,
    /// `Finished in` was seen; the counts follow.
    Finished,
    /// The counts were seen; `Failed examples:` may follow.
    Counted,
    /// Below `Failed examples:`, after or at the first of its lines.
    Rerun { begun: bool },
}

/// A failure being read.
struct Block {
    name: String,
    number: u64,
    error: Excerpt,
    backtrace: Backtrace,
    /// Frames below `--- Caused by` do not belong to the example.
    in_cause: bool,
    /// What was being loaded, for errors outside of examples.
    loading: Option<String>,
    frames_seen: bool,
}

/// Failures kept until the summary confirms them.
const MAX_FAILURES: usize = 10_000;
/// Profiles and coverage are printed between the lists and the summary. After
/// this many other lines, no summary follows.
const MAX_IDLE_LINES: u32 = 1_000;

impl TextReader for Rspec {
    fn awake(&self) -> bool {
        self.state != State::Outside
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        self.idle += 1;
        if matches!(self.state, State::Counted | State::Rerun { .. }) {
            self.rerun(text, line.number, sessions);
            if self.state != State::Outside {
                return;
            }
        }
        if self.state == State::Finished {
            self.counts(text, line.number);
            return;
        }
        if self.heading(text) {
            self.session(line.number);
            self.idle = 0;
        } else if self.idle > MAX_IDLE_LINES {
            self.forget();
        } else {
            self.body(text);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_block();
        if matches!(self.state, State::Counted | State::Rerun { .. }) {
            self.finish(sessions);
        } else if let Some(mut session) = self.session.take()
            && !self.listed.is_empty()
        {
            // Truncated before the summary: only the listed failures are known.
            session.counts.failed = self.listed.len() as u64;
            session.counts.run = session.counts.failed;
            session.failures = std::mem::take(&mut self.listed);
            sessions.push(session);
        }
        self.forget();
    }
}

impl Rspec {
    fn session(&mut self, number: u64) -> &mut Session {
        let session = self.session.begin("rspec", number);
        session.lines.1 = number;
        session
    }

    fn forget(&mut self) {
        *self = Self::default();
    }

    /// A line that begins another part of the report.
    fn heading(&mut self, text: &str) -> bool {
        let next = if text == "Failures:" {
            self.listed.clear();
            State::Failures
        } else if text.starts_with("Pending: (Failures listed here") {
            State::Pending
        } else if text.starts_with("An error occurred ") {
            State::OutsideOfExamples
        } else if text.starts_with("Finished in ") && text.contains(" second") {
            State::Finished
        } else if self.state != State::Outside
            && (text.starts_with("Top ") && text.contains(" slowest example")
                || text.starts_with("Randomized with seed"))
        {
            State::Waiting
        } else {
            return false;
        };
        if next == State::Failures {
            self.block = None;
        } else {
            self.close_block();
        }
        self.state = next;
        if next == State::OutsideOfExamples {
            self.block = Some(outside_of_examples(text));
        }
        true
    }

    fn body(&mut self, text: &str) {
        match self.state {
            State::Failures => {
                let expected = self.listed.len() as u64 + 1 + u64::from(self.block.is_some());
                if let Some((number, name)) = numbered(text)
                    && number == expected
                {
                    self.close_block();
                    self.block = Some(Block::new(name, number));
                    self.idle = 0;
                } else if let Some(block) = &mut self.block {
                    block.line(text);
                    self.idle = 0;
                } else if !text.is_empty() {
                    // Another program's `Failures:`.
                    self.state = State::Waiting;
                }
            }
            State::OutsideOfExamples => {
                let Some(block) = &mut self.block else { return };
                if block.frames_seen && !text.starts_with('#') {
                    self.close_block();
                    self.state = State::Waiting;
                } else {
                    block.line(text);
                }
            }
            _ => {}
        }
    }

    fn close_block(&mut self) {
        let Some(block) = self.block.take() else {
            return;
        };
        let list = if block.number == 0 {
            &mut self.outside
        } else {
            &mut self.listed
        };
        if list.len() < MAX_FAILURES {
            list.push(block.failure());
        }
    }

    /// The line below `Finished in`: `14 examples, 9 failures, 2 pending`.
    fn counts(&mut self, text: &str, number: u64) {
        let Some(summary) = Summary::read(text) else {
            self.state = State::Waiting;
            return;
        };
        let listed = std::mem::take(&mut self.listed);
        let outside = std::mem::take(&mut self.outside);
        let session = self.session(number);
        session.evidence = Evidence::Complete;
        session.counts.skipped = summary.pending;
        session.counts.failed = summary.failures;
        session.counts.errors = summary.outside;
        session.counts.run = summary.examples.saturating_sub(summary.pending) + summary.outside;
        session.counts.passed = summary
            .examples
            .saturating_sub(summary.pending + summary.failures);
        session.broke = summary.outside > 0;
        let confirmed = usize::try_from(summary.outside).unwrap_or(usize::MAX);
        let unconfirmed = outside.len().saturating_sub(confirmed);
        for failure in outside.into_iter().skip(unconfirmed) {
            session.add(failure);
        }
        if summary.failures > 0 {
            for failure in listed {
                session.add(failure);
            }
        }
        self.state = State::Counted;
    }

    /// Lines below the counts: `rspec ./spec/a_spec.rb:24 # Cart adds`.
    fn rerun(&mut self, text: &str, number: u64, sessions: &mut Sessions) {
        match self.state {
            State::Counted | State::Rerun { begun: false } if text.is_empty() => {}
            State::Counted if text == "Failed examples:" => {
                self.session(number);
                self.state = State::Rerun { begun: false };
            }
            State::Rerun { .. } if !text.is_empty() && !text.starts_with("Randomized with") => {
                self.state = State::Rerun { begun: true };
                if let Some(rest) = text.strip_prefix("rspec ") {
                    self.session(number);
                    self.failed_example(rest);
                }
            }
            _ => self.finish(sessions),
        }
    }

    fn failed_example(&mut self, text: &str) {
        let Some(session) = &mut self.session else {
            return;
        };
        let Some((place, name)) = text.split_once(" # ") else {
            return;
        };
        let place = place.trim_matches(['\'', '"']);
        let (path, line) = match place.split_once('[') {
            Some((path, _)) => (path, None),
            None => match ruby::frame(place) {
                Some((path, line)) => (path, Some(line)),
                None => return,
            },
        };
        let expected = session.counts.failed + session.counts.errors;
        let missing = (session.failures.len() as u64) < expected;
        let known = session
            .failures
            .iter_mut()
            .find(|failure| failure.name == name || failure.name.starts_with(&format!("{name} ")));
        match known {
            Some(failure) if !failure.file.as_deref().is_some_and(ruby::in_tests) => {
                failure.file = Some(ruby::tidy(path).to_owned());
                failure.line = line;
            }
            None if missing => {
                session.add(Failure::named(name).at(ruby::tidy(path), line));
            }
            _ => {}
        }
    }

    fn finish(&mut self, sessions: &mut Sessions) {
        self.session.close(sessions);
        self.forget();
    }
}

impl Block {
    fn new(name: &str, number: u64) -> Self {
        Self {
            name: name.to_owned(),
            number,
            error: Excerpt::default(),
            backtrace: Backtrace::default(),
            in_cause: false,
            loading: None,
            frames_seen: false,
        }
    }

    fn line(&mut self, text: &str) {
        if self.number > 0 && self.error.is_empty() && !text.starts_with("     ") {
            // A description of several lines continues at the left margin.
            if !text.trim().is_empty() && self.name.len() < 1_000 {
                self.name.push(' ');
                self.name.push_str(text.trim());
            }
            return;
        }
        // Suggestions of other files come before an error outside of examples.
        let is_guess = self.number == 0 && text.starts_with(' ');
        if self.error.is_empty() && (text.is_empty() || is_guess) {
            return;
        }
        let trimmed = text.trim_start();
        if let Some(rest) = trimmed.strip_prefix("# ") {
            self.in_cause |= rest.starts_with("------") || rest.starts_with("--- Caused by");
            if let Some((path, line)) = ruby::frame(rest)
                && !self.in_cause
                && !rest.starts_with(' ')
            {
                self.backtrace.offer(path, line);
                self.frames_seen = true;
            }
        } else if let Some((path, line, rest)) = crate::place::leading(trimmed)
            && let Some(loading) = &self.loading
            && rest.starts_with(": ")
            && path.ends_with(loading.as_str())
        {
            // A syntax error contains its place in the message.
            self.backtrace.offer(loading, line);
        }
        self.error.push(text);
    }

    fn failure(self) -> Failure {
        let error = self.error.text();
        let mut name = self.name;
        if error.starts_with("Expected pending ")
            && let Some(stripped) = name.strip_suffix(" FIXED")
        {
            name.truncate(stripped.len());
        }
        let mut failure = Failure::named(name).because(error);
        if let Some((path, line)) = self.backtrace.place() {
            failure = failure.at(path, Some(line));
        } else if let Some(loading) = self.loading {
            failure = failure.at(loading, None).sure(Confidence::Medium);
        }
        failure
    }
}

/// `An error occurred while loading ./spec/a_spec.rb.`, or in a hook.
fn outside_of_examples(text: &str) -> Block {
    let what = text
        .strip_prefix("An error occurred ")
        .unwrap_or(text)
        .trim_start_matches("in a ")
        .trim_start_matches("in an ")
        .trim_start_matches("while ");
    let mut block = Block::new(what.trim_end_matches('.'), 0);
    if let Some(path) = what.strip_prefix("loading ") {
        let path = path.split(" - Did you mean").next().unwrap_or(path);
        let path = ruby::tidy(path.trim_end_matches('.'));
        path.clone_into(&mut block.name);
        block.loading = Some(path.to_owned());
    } else {
        block.name = block.name.replace('`', "");
    }
    block
}

/// `  12) Cart adds items`
fn numbered(text: &str) -> Option<(u64, &str)> {
    let (number, name) = text.strip_prefix("  ")?.split_once(") ")?;
    Some((number.parse().ok()?, name))
}

struct Summary {
    examples: u64,
    failures: u64,
    pending: u64,
    outside: u64,
}

impl Summary {
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(", ");
        let mut summary = Self {
            examples: counted(parts.next()?, "example")?,
            failures: counted(parts.next()?, "failure")?,
            pending: 0,
            outside: 0,
        };
        for part in parts {
            if let Some(pending) = counted(part, "pending") {
                summary.pending = pending;
            } else if let Some(outside) = counted(part, "error") {
                summary.outside = outside;
            } else {
                return None;
            }
        }
        Some(summary)
    }
}

/// Returns 3 for `3 examples`.
fn counted(text: &str, noun: &str) -> Option<u64> {
    let (number, rest) = text.split_once(' ')?;
    rest.starts_with(noun).then_some(())?;
    number.parse().ok()
}
