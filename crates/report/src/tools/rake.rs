//! Reads Rake's own errors. A command that failed below it has reported its
//! error itself.

use super::Tool;
use crate::excerpt::Excerpt;
use crate::session::{Failure, Session, Sessions};
use crate::stack::ruby::{self, Backtrace};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool::text::<Rake>(&["rake aborted!"], &[]);

#[derive(Default)]
struct Rake {
    session: Option<Session>,
    message: Option<String>,
    error: Excerpt,
    backtrace: Backtrace,
}

impl TextReader for Rake {
    fn awake(&self) -> bool {
        self.session.is_some()
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if text == "rake aborted!" {
            self.end(sessions);
            self.session = Some(Session::for_diagnostics("rake", line.number));
            return;
        }
        let Some(session) = &mut self.session else {
            return;
        };
        session.lines.1 = line.number;
        if text.starts_with("Command failed with status") {
            *self = Self::default();
        } else if text.starts_with("Tasks: TOP") || text.starts_with("(See full trace") {
            self.end(sessions);
        } else {
            if let Some((path, line)) = ruby::frame(text) {
                self.backtrace.offer(path, line);
            }
            if self.message.is_none() && !text.is_empty() {
                self.message = Some(text.to_owned());
            }
            self.error.push(text);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        if let Some(mut session) = self.session.take()
            && let Some(message) = self.message.take()
        {
            let failure = Failure::named(message).because(self.error.text());
            session.add(failure.at_place(self.backtrace.place()));
            session.broke = true;
            sessions.push(session);
        }
        *self = Self::default();
    }
}
