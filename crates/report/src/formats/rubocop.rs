//! Reads `RuboCop`: the progress and clang formatters.

use crate::excerpt::Excerpt;
use crate::format::{Format, Line, Trigger};
use crate::place;
use crate::session::{Evidence, Failure, Session, Sessions};

#[derive(Default)]
pub(crate) struct Rubocop {
    session: Option<Session>,
    block: Option<(Failure, Excerpt)>,
}

impl Format for Rubocop {
    fn triggers(&self) -> &'static [Trigger] {
        &[
            Trigger::Start("Offenses:"),
            Trigger::Anywhere(" inspected, no offenses detected"),
        ]
    }

    fn awake(&self) -> bool {
        self.session.is_some()
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if text == "Offenses:" {
            self.end(sessions);
            self.session = Some(Session::for_diagnostics("rubocop", line.number));
        } else if text.contains(" inspected, ") && text.contains(" detected") {
            self.close_block();
            let mut session = self
                .session
                .take()
                .unwrap_or_else(|| Session::for_diagnostics("rubocop", line.number));
            session.lines.1 = line.number;
            session.evidence = Evidence::Complete;
            session.broke = !session.failures.is_empty();
            sessions.push(session);
        } else if let Some(block) = offense(text) {
            self.close_block();
            if let Some(session) = &mut self.session {
                session.lines.1 = line.number;
            }
            self.block = Some(block);
        } else if let Some((_, error)) = &mut self.block {
            error.push(text);
        } else if !text.is_empty() {
            // Another program's offenses.
            self.session = None;
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_block();
        if let Some(mut session) = self.session.take()
            && !session.failures.is_empty()
        {
            session.broke = true;
            sessions.push(session);
        }
    }
}

impl Rubocop {
    fn close_block(&mut self) {
        if let Some((failure, error)) = self.block.take()
            && let Some(session) = &mut self.session
        {
            session.add(failure.because(error.text()));
        }
    }
}

/// `lib/a.rb:2:3: W: [Correctable] Lint/UselessAssignment: Useless assignment`
fn offense(text: &str) -> Option<(Failure, Excerpt)> {
    let (path, line, rest) = place::leading(text)?;
    let (severity, rest) = rest.strip_prefix(": ")?.split_once(": ")?;
    if !matches!(severity, "I" | "R" | "C" | "W" | "E" | "F") {
        return None;
    }
    let message = rest
        .strip_prefix("[Correctable] ")
        .or_else(|| rest.strip_prefix("[Corrected] "))
        .unwrap_or(rest);
    let (cop, _) = message.split_once(": ")?;
    let mut error = Excerpt::default();
    error.push(message);
    let is_cop = cop.contains('/') && !cop.contains(' ');
    is_cop.then(|| (Failure::named(cop).at(path, Some(line)), error))
}
