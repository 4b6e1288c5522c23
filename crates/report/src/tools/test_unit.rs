//! Reads the gem `test-unit`.

use super::Tool;
use crate::excerpt::Excerpt;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::ruby::{self, Backtrace};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool::text::<TestUnit>(&["Loaded suite "], &[]);

#[derive(Default)]
struct TestUnit {
    session: Option<Session>,
    state: State,
    block: Option<Block>,
    after_rule: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    Running,
    Finished,
}

struct Block {
    name: String,
    error: Excerpt,
    backtrace: Backtrace,
}

impl TextReader for TestUnit {
    fn awake(&self) -> bool {
        self.state != State::Outside
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        self.session.reach(line.number);
        if text.starts_with("Loaded suite ") {
            self.end(sessions);
            self.session = Some(Session::new("test-unit", line.number));
            self.state = State::Running;
        } else if text.starts_with("Finished in ") && text.ends_with(" seconds.") {
            self.close_block();
            self.state = State::Finished;
        } else if self.state == State::Finished {
            self.summary(text, sessions);
        } else if is_rule(text) {
            self.close_block();
        } else if self.after_rule
            && let Some(block) = Block::open(text)
        {
            self.block = Some(block);
        } else if let Some(block) = &mut self.block {
            block.line(text);
        }
        self.after_rule = is_rule(text);
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_block();
        self.session.close_truncated(sessions);
        *self = Self::default();
    }
}

impl TestUnit {
    fn close_block(&mut self) {
        if let Some(block) = self.block.take()
            && let Some(session) = &mut self.session
        {
            let failure = Failure::named(block.name).because(block.error.text());
            session.add(failure.at_place(block.backtrace.place()));
        }
    }

    /// `10 tests, 7 assertions, 5 failures, 1 errors, 1 pendings, 1 omissions, 0 notifications`
    fn summary(&mut self, text: &str, sessions: &mut Sessions) {
        let count = |noun: &str| {
            text.split(", ")
                .filter_map(|part| part.split_once(' '))
                .find(|(_, label)| *label == noun)
                .and_then(|(number, _)| number.parse::<u64>().ok())
        };
        let (Some(tests), Some(failures), Some(errors)) =
            (count("tests"), count("failures"), count("errors"))
        else {
            return;
        };
        let Some(mut session) = self.session.take() else {
            return;
        };
        let skipped = count("pendings").unwrap_or(0) + count("omissions").unwrap_or(0);
        session.evidence = Evidence::Complete;
        session.counts.skipped = skipped;
        session.counts.run = tests.saturating_sub(skipped);
        session.counts.failed = failures;
        session.counts.errors = errors;
        session.counts.passed = session.counts.run.saturating_sub(failures + errors);
        if failures + errors == 0 {
            session.failures.clear();
        }
        sessions.push(session);
        *self = Self::default();
    }
}

impl Block {
    /// `Failure: test_total(CartTest)`, or with a message after a colon.
    fn open(text: &str) -> Option<Self> {
        let rest = text
            .strip_prefix("Failure: ")
            .or_else(|| text.strip_prefix("Error: "))?;
        let (name, message) = match rest.split_once("): ") {
            Some((name, message)) => (format!("{name})"), message),
            None => (rest.trim_end_matches(':').to_owned(), ""),
        };
        let mut error = Excerpt::default();
        if !message.is_empty() {
            error.push(message);
        }
        Some(Self {
            name: selector(&name),
            error,
            backtrace: Backtrace::default(),
        })
    }

    fn line(&mut self, text: &str) {
        if let Some((path, line)) = ruby::frame(text) {
            self.backtrace.offer(path, line);
        }
        self.error.push(text);
    }
}

/// `test_total(CartTest)` is `CartTest#test_total`, as `--name` takes it.
fn selector(name: &str) -> String {
    match name
        .strip_suffix(')')
        .and_then(|name| name.rsplit_once('('))
    {
        Some((test, class)) => format!("{class}#{test}"),
        None => name.to_owned(),
    }
}

fn is_rule(text: &str) -> bool {
    // It is as wide as the rows of progress.
    text.len() >= 3 && text.bytes().all(|byte| byte == b'=')
}
