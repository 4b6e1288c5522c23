//! Reads an exception that ended a Ruby process before or instead of its tests:
//! a missing gem, a syntax error, a helper that raises.

use baton_protocol::Confidence;

use super::Tool;
use crate::excerpt::Excerpt;
use crate::place;
use crate::session::{Failure, OpenSession, Session, Sessions};
use crate::stack::ruby::{self, Backtrace};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool =
    Tool::text::<RubyException>(&["Finished in ", "Finished tests in "], &["Error)"]);

#[derive(Default)]
struct RubyException {
    session: Option<Session>,
    block: Option<Block>,
}

struct Block {
    error: Excerpt,
    backtrace: Backtrace,
    /// Lines since the last frame: a few lines of code are between message and
    /// frames.
    since_frame: u32,
}

impl TextReader for RubyException {
    fn awake(&self) -> bool {
        self.block.is_some()
    }

    fn line(&mut self, line: Line<'_>, _sessions: &mut Sessions) {
        let text = line.text;
        if text.starts_with("Finished ") {
            // The tests finished after all: a test, or a child process of one,
            // printed it.
            *self = Self::default();
        } else if let Some(block) = Block::open(text) {
            self.close_block();
            self.session.begin("ruby", line.number).lines.1 = line.number;
            self.block = Some(block);
        } else if let Some(block) = &mut self.block {
            if block.line(text) {
                self.session.reach(line.number);
            } else {
                self.close_block();
            }
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_block();
        self.session.close_broken(sessions);
        *self = Self::default();
    }
}

impl RubyException {
    fn close_block(&mut self) {
        if let Some(block) = self.block.take()
            && let Some(session) = &mut self.session
            && let Some((path, line)) = block.backtrace.place()
            && ruby::in_tests(path)
            && !session.failures.iter().any(|f| f.name == path)
        {
            session.add(
                Failure::named(path)
                    .at(path, Some(line))
                    .because(block.error.text())
                    .sure(Confidence::Medium),
            );
        }
    }
}

impl Block {
    /// `test/a_test.rb:1:in 'require': cannot load such file -- x (LoadError)`
    fn open(text: &str) -> Option<Self> {
        text.strip_suffix("Error)")?;
        if text.starts_with([' ', '\t']) {
            return None;
        }
        let (path, line, rest) = place::leading(text)?;
        let is_ruby = ruby::is_ruby(path) || path.starts_with("<internal:");
        if !is_ruby || !(rest.starts_with(":in ") || rest.starts_with(": ")) {
            return None;
        }
        let mut block = Self {
            error: Excerpt::default(),
            backtrace: Backtrace::default(),
            since_frame: 0,
        };
        block.error.push(text);
        block.backtrace.offer(path, line);
        Some(block)
    }

    /// Whether the line belongs to it.
    fn line(&mut self, text: &str) -> bool {
        const MAX_LINES_AFTER_FRAME: u32 = 12;
        if let Some(rest) = text.strip_prefix("\tfrom ")
            && let Some((path, line)) = ruby::frame(rest)
        {
            self.backtrace.offer(path, line);
            self.since_frame = 0;
        } else {
            self.since_frame += 1;
        }
        self.error.push(text);
        self.since_frame <= MAX_LINES_AFTER_FRAME && text != "rake aborted!"
    }
}
