//! Reads `JUnit` 4's text runner, `JUnitCore`.

use super::Tool;
use crate::excerpt::Excerpt;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::java::{self, Trace};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool::text::<Junit4Console>(&["JUnit version "], &[]);

#[derive(Default)]
struct Junit4Console {
    session: Option<Session>,
    state: State,
    block: Option<Block>,
    ignored: u64,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// Dots, and the output of the tests.
    Running,
    /// `Time:` was seen; no test prints after it.
    Ended,
    /// `FAILURES!!!` was seen; the counts follow.
    Counting,
}

struct Block {
    number: u64,
    name: String,
    class: String,
    method: String,
    error: Excerpt,
    trace: Trace,
}

impl TextReader for Junit4Console {
    fn awake(&self) -> bool {
        self.state != State::Outside
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        self.session.reach(line.number);
        if text.starts_with("JUnit version ") {
            self.end(sessions);
            self.session = Some(Session::new("junit4-console", line.number));
            self.state = State::Running;
        } else if is_time(text) {
            self.block = None;
            if let Some(session) = &mut self.session {
                session.failures.clear();
            }
            self.state = State::Ended;
        } else {
            match self.state {
                State::Outside => {}
                State::Running => self.progress(text),
                State::Ended => self.ended(text, sessions),
                State::Counting => self.counts(text, sessions),
            }
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_block();
        if let Some(mut session) = self.session.take()
            && !session.failures.is_empty()
        {
            session.counts.failed = session.failures.len() as u64;
            session.counts.run = session.counts.failed;
            session.counts.skipped = self.ignored;
            sessions.push(session);
        }
        *self = Self::default();
    }
}

impl Junit4Console {
    /// `..E.I`: an `I` is an ignored test.
    fn progress(&mut self, text: &str) {
        if text.bytes().all(|byte| b".EI".contains(&byte)) {
            self.ignored += text.bytes().filter(|byte| *byte == b'I').count() as u64;
        }
    }

    fn ended(&mut self, text: &str, sessions: &mut Sessions) {
        if let Some(tests) = text
            .strip_prefix("OK (")
            .and_then(|rest| rest.split_once(" test"))
            .and_then(|(tests, _)| tests.parse::<u64>().ok())
        {
            self.finish(tests, 0, sessions);
        } else if text == "FAILURES!!!" {
            self.close_block();
            self.state = State::Counting;
        } else if let Some(block) = Block::open(text)
            && block.number == self.block.as_ref().map_or(0, |block| block.number) + 1
        {
            self.close_block();
            self.block = Some(block);
        } else if let Some(block) = &mut self.block {
            block.line(text);
        }
    }

    /// `Tests run: 9,  Failures: 6`
    fn counts(&mut self, text: &str, sessions: &mut Sessions) {
        if let Some((tests, failures)) = text
            .strip_prefix("Tests run: ")
            .and_then(|rest| rest.split_once(",  Failures: "))
            && let (Ok(tests), Ok(failures)) = (tests.parse(), failures.parse())
        {
            self.finish(tests, failures, sessions);
        }
    }

    fn finish(&mut self, tests: u64, failures: u64, sessions: &mut Sessions) {
        self.close_block();
        if let Some(mut session) = self.session.take() {
            session.evidence = Evidence::Complete;
            session.counts.run = tests;
            session.counts.failed = failures;
            session.counts.passed = tests.saturating_sub(failures);
            session.counts.skipped = self.ignored;
            sessions.push(session);
        }
        *self = Self::default();
    }

    fn close_block(&mut self) {
        if let Some(block) = self.block.take() {
            self.session.add(block.failure());
        }
    }
}

impl Block {
    /// `3) total(com.shop.CartTest)`, or only a class.
    fn open(line: &str) -> Option<Self> {
        let (number, name) = line.split_once(") ")?;
        let number = number.parse().ok()?;
        let (test, class) = match name
            .strip_suffix(')')
            .and_then(|name| name.rsplit_once('('))
        {
            Some((test, class)) => (test, class),
            None => ("", name),
        };
        Some(Self {
            number,
            name: test.to_owned(),
            class: class.to_owned(),
            method: java::method_of(test).to_owned(),
            error: Excerpt::default(),
            trace: Trace::default(),
        })
    }

    fn line(&mut self, text: &str) {
        self.trace.line(text, Some(&self.class), Some(&self.method));
        self.error.push(text);
    }

    fn failure(self) -> Failure {
        let error = self.error.text();
        // The command line itself was wrong; the class is not a test.
        if self.class.starts_with("org.junit.")
            && let Some((_, rest)) = error.split_once("Could not find class [")
            && let Some((missing, _)) = rest.split_once(']')
        {
            return Failure::named(missing).because(error.as_str());
        }
        let name = if self.name.is_empty() {
            self.class.clone()
        } else {
            format!("{}.{}", self.class, self.name)
        };
        self.trace
            .placed(Failure::named(name).because(error), Some(&self.class))
    }
}

/// `Time: 0.334`, in some locales with a comma.
fn is_time(text: &str) -> bool {
    text.strip_prefix("Time: ").is_some_and(|rest| {
        !rest.is_empty()
            && rest
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
    })
}
