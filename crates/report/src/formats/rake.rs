//! Reads Rake's own errors. A command that failed below it has reported its
//! error itself.

use crate::excerpt::Excerpt;
use crate::format::{Format, Line, Trigger};
use crate::formats::ruby_frames::{self, Backtrace};
use crate::session::{Failure, Session, Sessions};

#[derive(Default)]
pub(crate) struct Rake {
    session: Option<Session>,
    message: Option<String>,
    error: Excerpt,
    backtrace: Backtrace,
}

impl Format for Rake {
    fn triggers(&self) -> &'static [Trigger] {
        &[Trigger::Start("rake aborted!")]
    }

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
            if let Some((path, line)) = ruby_frames::frame(text) {
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
            session.add(match self.backtrace.place() {
                Some((path, line)) => failure.at(path, Some(line)),
                None => failure,
            });
            session.broke = true;
            sessions.push(session);
        }
        *self = Self::default();
    }
}
