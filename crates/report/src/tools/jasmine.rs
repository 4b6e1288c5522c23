//! Reads Jasmine's console reporter.

use super::Tool;
use crate::excerpt::Excerpt;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::javascript::{Frames, assume_only_file, frame};
use crate::tally;
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool::text::<Jasmine>(
    &["Failures:", "Suite error: ", "Incomplete: No specs found"],
    &[" specs, ", "1 spec, "],
);

#[derive(Default)]
struct Jasmine {
    session: Option<Session>,
    state: State,
    suite_errors: u64,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Below `Failures:`.
    Listing,
    /// Below `1) suite spec` or `Suite error: suite`.
    Failure(Box<Block>),
}

struct Block {
    name: String,
    /// Jasmine prints `  Message:` after every title.
    is_real: bool,
    error: Excerpt,
    frames: Frames,
    /// A frame of a spec or hook: Jasmine calls them with a `UserContext`.
    of_spec: Option<(String, u64)>,
}

impl TextReader for Jasmine {
    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if text == "Failures:" {
            // There is one list per run; an earlier one was printed by a test.
            self.state = State::Listing;
            self.suite_errors = 0;
            self.session = Some(Session::new("jasmine", line.number));
        } else if let Some((specs, failures, pending)) = summary(text) {
            self.close_failure();
            let session = self.session.begin("jasmine", line.number);
            session.lines.1 = line.number;
            // Jasmine counts failed hooks of suites with the failed specs.
            let failed = failures.saturating_sub(self.suite_errors);
            session.evidence = Evidence::Complete;
            session.counts.failed = failed;
            session.counts.errors = failures - failed;
            session.counts.skipped = pending;
            session.counts.passed = specs.saturating_sub(pending + failed);
            session.counts.run = session.counts.passed + failures;
            self.end(sessions);
        } else if text.starts_with("Incomplete: No specs found") {
            let mut session = Session::new("jasmine", line.number);
            session.broke = true;
            sessions.push(session);
        } else {
            self.list(text, line.number);
        }
        self.session.reach(line.number);
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_failure();
        if let Some(mut session) = self.session.take()
            && (session.evidence == Evidence::Complete || !session.failures.is_empty())
        {
            assume_only_file(&mut session.failures);
            if session.evidence == Evidence::Fragment {
                session.counts.failed = session.failures.len() as u64;
                session.counts.run = session.counts.failed;
            }
            sessions.push(session);
        }
        *self = Self::default();
    }
}

impl Jasmine {
    fn list(&mut self, text: &str, number: u64) {
        let suite = text.strip_prefix("Suite error: ");
        if let State::Outside = self.state
            && suite.is_none()
        {
            return;
        }
        if let Some(name) = numbered(text).or(suite) {
            self.close_failure();
            // Parallel runs print it without a list.
            self.session.begin("jasmine", number);
            self.suite_errors += u64::from(suite.is_some());
            self.state = State::Failure(Box::new(Block {
                name: name.to_owned(),
                is_real: false,
                error: Excerpt::default(),
                frames: Frames::default(),
                of_spec: None,
            }));
        } else if !text.is_empty() && !text.starts_with(' ') {
            self.close_failure();
            self.state = State::Outside;
        } else if let State::Failure(block) = &mut self.state {
            block.push(text);
        }
    }

    fn close_failure(&mut self) {
        if let State::Failure(block) = &mut self.state {
            if let Some(session) = &mut self.session
                && block.is_real
            {
                session.add(block.failure());
            }
            self.state = State::Listing;
        }
    }
}

impl Block {
    fn push(&mut self, text: &str) {
        match text {
            "  Message:" => self.is_real = true,
            "  Stack:" => {}
            _ if text.contains("at <Jasmine>") => {}
            _ => {
                self.error.push(text);
                self.frames.see(text);
                if self.of_spec.is_none() && text.contains("at UserContext.") {
                    self.of_spec = frame(text);
                }
            }
        }
    }

    fn failure(&mut self) -> Failure {
        let failure = Failure::named(std::mem::take(&mut self.name)).because(self.error.take());
        failure.at_place(self.of_spec.as_ref().or(self.frames.place()).cloned())
    }
}

/// The title in `1) suite spec`.
fn numbered(text: &str) -> Option<&str> {
    let (number, title) = text.split_once(") ")?;
    number.parse::<u64>().ok().map(|_| title)
}

/// `8 specs, 5 failures, 1 pending spec`.
fn summary(text: &str) -> Option<(u64, u64, u64)> {
    let (specs, rest) = text.split_once(' ')?;
    let specs = specs.parse().ok()?;
    let rest = rest
        .strip_prefix("specs, ")
        .or(rest.strip_prefix("spec, "))?;
    let failures = tally::count(rest, "failures").max(tally::count(rest, "failure"));
    let is_summary = rest.contains(" failure");
    is_summary.then(|| (specs, failures, tally::count(rest, "pending")))
}
