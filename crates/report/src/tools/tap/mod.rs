//! Reads the Test Anything Protocol, versions 12 to 14, as `node:test`,
//! node-tap, tape, Mocha, Vitest, AVA, Perl and Bats write it, on a terminal or
//! in a file.

mod diagnostics;
mod line;
mod stream;

use self::diagnostics::Diagnostics;
use self::line::{Outcome, Point, TapLine, read, unescaped};
use self::stream::{Brace, MAX_OPEN, Stream};
use crate::place::looks_like_a_file;
use crate::session::{OpenSession, Session, Sessions};
use crate::text::{Line, TextReader};
use crate::tools::Tool;

pub(super) const TOOL: Tool = Tool::text::<Tap>(
    &[
        "TAP version ",
        "not ok ",
        "ok ",
        "1..",
        "# Subtest: ",
        "Bail out!",
    ],
    &[],
);

#[derive(Default)]
struct Tap {
    session: Option<Session>,
    state: State,
    stream: Stream,
    /// Lines since the last one of the protocol.
    idle: u32,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Below a failed point with this indentation.
    Failed(usize, Box<Diagnostics>),
    /// Within a YAML block with this indentation; of a failure or not.
    Yaml(usize, Option<Box<Diagnostics>>),
}

/// The number of lines of other output before the format goes to sleep.
const MAX_IDLE_LINES: u32 = 200;

impl TextReader for Tap {
    fn awake(&self) -> bool {
        self.session.is_some() && self.idle < MAX_IDLE_LINES
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        if self.diagnostics(line.text) {
            return;
        }
        let text = line.text.trim_start_matches(' ');
        let indent = line.text.len() - text.len();
        match read(text) {
            Some(tap) if self.belongs(&tap, indent) => {
                self.idle = 0;
                self.tap(tap, indent, line.number, sessions);
                self.session.reach(line.number);
            }
            _ if text.is_empty() => {}
            _ => {
                self.idle = self.idle.saturating_add(1);
                self.stream.comment = None;
            }
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_failure();
        if let Some(mut session) = self.session.take()
            && self.stream.is_real()
        {
            self.stream.conclude(&mut session);
            sessions.push(session);
        }
        *self = Self::default();
    }
}

impl Tap {
    /// Reads lines that explain the current failure; returns whether it was one.
    fn diagnostics(&mut self, text: &str) -> bool {
        let trimmed = text.trim_start_matches(' ');
        let indent = text.len() - trimmed.len();
        match &mut self.state {
            State::Outside => {
                // A passed point may have a block as well.
                let starts = self.session.is_some() && trimmed == "---" && indent > 0;
                if starts {
                    self.state = State::Yaml(indent, None);
                }
                starts
            }
            State::Yaml(at, _) if trimmed == "..." && indent == *at => {
                self.close_failure();
                true
            }
            State::Yaml(_, diagnostics) => {
                if let Some(diagnostics) = diagnostics {
                    diagnostics.yaml(text);
                }
                true
            }
            State::Failed(at, _) if trimmed == "---" && indent > *at => {
                let State::Failed(_, diagnostics) = std::mem::take(&mut self.state) else {
                    return true;
                };
                self.state = State::Yaml(indent, Some(diagnostics));
                true
            }
            State::Failed(at, diagnostics) => match read(trimmed) {
                Some(TapLine::Comment(comment)) => {
                    diagnostics.text(comment);
                    // It may also be the name of tape's next test.
                    false
                }
                None if text.is_empty() || indent > *at => {
                    diagnostics.text(text);
                    true
                }
                _ => false,
            },
        }
    }

    /// Whether the line is plausible as part of the stream.
    fn belongs(&self, tap: &TapLine<'_>, indent: usize) -> bool {
        match tap {
            TapLine::Version => true,
            TapLine::Plan(_) | TapLine::BailOut | TapLine::Subtest(_) => {
                self.session.is_some() || indent == 0
            }
            TapLine::Point(point) => {
                self.session.is_some() || (point.number.is_some() && indent == 0)
            }
            TapLine::Comment(_) => self.session.is_some() && indent == 0,
            TapLine::CloseBrace => !self.stream.braces.is_empty(),
        }
    }

    fn tap(&mut self, tap: TapLine<'_>, indent: usize, number: u64, sessions: &mut Sessions) {
        if self.starts_new_stream(&tap, indent) {
            self.end(sessions);
        }
        self.session.begin("tap", number);
        let is_comment = matches!(tap, TapLine::Comment(_));
        if !is_comment {
            self.close_failure();
        }
        match tap {
            TapLine::Version => self.stream.has_version = true,
            TapLine::Plan(count) if indent == 0 => self.stream.plan = Some(count),
            TapLine::Plan(_) => {}
            TapLine::BailOut => self.stream.bailed_out = true,
            TapLine::Subtest(name) => self.stream.announce(indent, name),
            TapLine::Comment(comment) => self.stream.comment(comment),
            TapLine::CloseBrace => self.close_brace(indent),
            TapLine::Point(point) => self.point(&point, indent),
        }
        if !is_comment {
            self.stream.comment = None;
        }
    }

    /// Whether another stream begins, as several may follow each other.
    fn starts_new_stream(&self, tap: &TapLine<'_>, indent: usize) -> bool {
        let is_complete = self
            .stream
            .plan
            .is_some_and(|n| self.stream.top_points >= n);
        indent == 0
            && self.stream.top_points > 0
            && match tap {
                TapLine::Version => true,
                TapLine::Plan(_) => is_complete,
                TapLine::Point(point) => is_complete && point.number == Some(1),
                _ => false,
            }
    }

    fn point(&mut self, point: &Point<'_>, indent: usize) {
        let name = unescaped(point.description);
        let stream = &mut self.stream;
        let comments = stream.comments.take();
        if indent == 0 {
            stream.top_points += 1;
            stream.out_of_order |= point.number.is_some_and(|n| n != stream.top_points);
        }
        let failed = point.outcome == Outcome::Failed;
        let subtests = stream.close_levels(indent, failed);
        let ancestors = stream.ancestors(indent, &name, point);
        if let Some(session) = &mut self.session {
            stream.adopt(indent, &name, &mut session.failures);
        }
        if point.has_brace {
            stream.braces.push(Brace {
                name,
                is_ok: !failed,
                failed_within: false,
            });
            stream.braces.truncate(MAX_OPEN);
            return;
        }
        let is_sum = subtests.is_some_and(|any_failed| !failed || any_failed);
        if !is_sum {
            stream.tally.add(point.outcome);
        }
        if failed {
            let is_file = indent == 0 && looks_like_a_file(&name);
            let mut diagnostics = Diagnostics::new(ancestors, name);
            if is_file {
                comments.lines().for_each(|line| diagnostics.text(line));
            }
            diagnostics.indent = indent;
            diagnostics.only_subtests_failed = is_sum;
            for brace in &mut stream.braces {
                brace.failed_within = true;
            }
            self.state = State::Failed(indent, Box::new(diagnostics));
        }
    }

    fn close_failure(&mut self) {
        let (State::Failed(_, diagnostics) | State::Yaml(_, Some(diagnostics))) =
            std::mem::take(&mut self.state)
        else {
            return;
        };
        let Some(session) = &mut self.session else {
            return;
        };
        if diagnostics.only_subtests_failed {
            return;
        }
        let stream = &mut self.stream;
        let knows_parents = stream.announces_subtests() || !stream.braces.is_empty();
        if diagnostics.indent > 0 && !knows_parents && stream.orphans.len() < MAX_OPEN {
            let index = session.failures.len();
            stream.orphans.push((diagnostics.indent, index));
        }
        session.add(diagnostics.failure());
    }

    /// A point in braces that failed although nothing inside it did.
    fn close_brace(&mut self, indent: usize) {
        self.stream.close_levels(indent, false);
        let names = self.stream.brace_names();
        let Some(brace) = self.stream.braces.pop() else {
            return;
        };
        if brace.is_ok || brace.failed_within {
            return;
        }
        for outer in &mut self.stream.braces {
            outer.failed_within = true;
        }
        self.session
            .add(Diagnostics::new(names, brace.name).failure());
    }
}
