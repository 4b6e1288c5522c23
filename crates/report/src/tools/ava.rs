//! Reads AVA's default reporter. Its TAP is read as TAP.

use super::Tool;
use crate::excerpt::Excerpt;
use crate::place::leading;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::javascript::{Frames, plain_path};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool::text::<Ava>(&["✔ ", "✘ ", "─"], &[]);

#[derive(Default)]
struct Ava {
    session: Option<Session>,
    state: State,
    passed: u64,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Below the first `─`: failures, each with its title, then another `─`. The
    /// empty lines just read are counted, because three of them separate
    /// failures.
    Listing(u32, Option<Box<Block>>),
    /// Below the last `─`.
    Counting,
}

struct Block {
    title: String,
    error: Excerpt,
    frames: Frames,
    /// AVA's own `test.js:4` above the code.
    place: Option<(String, u64)>,
}

impl TextReader for Ava {
    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if text == "  ─" {
            self.rule(line.number);
        } else if let State::Listing(..) = self.state {
            self.list(text);
        } else if let State::Counting = self.state {
            self.count(text, sessions);
        } else if let Some(rest) = text.strip_prefix("  ✔ ") {
            self.passed += u64::from(!rest.starts_with("[expected fail]"));
        } else if text.starts_with("  ✘ [fail]: ") || text.contains(" exited with a non-zero exit")
        {
            self.session(line.number);
        }
        self.session.reach(line.number);
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_failure();
        if let Some(session) = self.session.take()
            && session.evidence > Evidence::Fragment
        {
            sessions.push(session);
        }
        *self = Self::default();
    }
}

impl Ava {
    fn session(&mut self, number: u64) -> &mut Session {
        self.session.begin("ava", number)
    }

    fn rule(&mut self, number: u64) {
        self.close_failure();
        self.state = match self.state {
            State::Outside if self.session.is_some() => State::Listing(3, None),
            _ => State::Counting,
        };
        self.session(number);
    }

    fn list(&mut self, text: &str) {
        let State::Listing(empty, block) = &mut self.state else {
            return;
        };
        if text.is_empty() {
            *empty += 1;
            if let Some(block) = block {
                block.push(text);
            }
            return;
        }
        let starts = *empty >= 3;
        *empty = 0;
        // A count instead of a title: no failure is listed.
        if starts && block.is_none() && counted(text).is_some() {
            self.state = State::Counting;
            self.tally(text);
        } else if starts {
            self.close_failure();
            self.state = State::Listing(0, Some(Box::new(Block::new(text))));
        } else if let Some(block) = block {
            block.push(text);
        }
    }

    fn close_failure(&mut self) {
        if let State::Listing(_, block) = &mut self.state
            && let Some(mut block) = block.take()
        {
            self.session.add(block.failure());
        }
    }

    fn count(&mut self, text: &str, sessions: &mut Sessions) {
        if !text.is_empty() && !self.tally(text) {
            self.end(sessions);
        }
    }

    /// Reads `  4 tests failed`, and returns whether it was such a line.
    fn tally(&mut self, text: &str) -> bool {
        let (Some((number, what)), Some(session)) = (counted(text), &mut self.session) else {
            return false;
        };
        session.evidence = Evidence::Complete;
        let counts = &mut session.counts;
        counts.passed = counts.passed.max(self.passed);
        match what {
            "tests passed" | "test passed" => counts.passed = number,
            "tests failed" | "test failed" => counts.failed = number,
            "tests skipped" | "test skipped" | "tests todo" | "test todo" | "known failure"
            | "known failures" => counts.skipped += number,
            _ => session.broke = true,
        }
        counts.run = counts.passed.saturating_add(counts.failed);
        true
    }
}

impl Block {
    fn new(title: &str) -> Self {
        Self {
            title: title.trim().to_owned(),
            error: Excerpt::default(),
            frames: Frames::default(),
            place: None,
        }
    }

    fn push(&mut self, text: &str) {
        if self.error.is_empty() {
            if let Some((file, line, "")) = leading(text.trim())
                && self.place.is_none()
            {
                self.place = Some((plain_path(file), line));
                return;
            }
            if text.is_empty() {
                return;
            }
        }
        self.error.push(text);
        self.frames.see(text);
    }

    fn failure(&mut self) -> Failure {
        let failure = Failure::named(std::mem::take(&mut self.title)).because(self.error.take());
        failure.at_place(self.place.as_ref().or(self.frames.place()).cloned())
    }
}

/// `  4 tests failed`: the number, and what was counted.
fn counted(text: &str) -> Option<(u64, &str)> {
    let (number, what) = text.strip_prefix("  ")?.split_once(' ')?;
    let is_known = [
        "test",
        "known failure",
        "uncaught exception",
        "unhandled rejection",
    ]
    .iter()
    .any(|start| what.starts_with(start));
    is_known.then(|| Some((number.parse().ok()?, what)))?
}
