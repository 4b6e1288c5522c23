//! Reads `prettier --check`.

use crate::format::{Format, Line, Trigger};
use crate::session::{Evidence, Failure, Session, Sessions};

#[derive(Default)]
pub(crate) struct Prettier {
    session: Option<Session>,
}

impl Format for Prettier {
    fn triggers(&self) -> &'static [Trigger] {
        &[
            Trigger::Start("Checking formatting..."),
            Trigger::Start("[warn] "),
            Trigger::Start("[error] "),
            Trigger::Start("All matched files use Prettier code style!"),
            Trigger::Start("Error occurred when checking code style"),
        ]
    }

    fn awake(&self) -> bool {
        false
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if text == "Checking formatting..." {
            self.end(sessions);
            self.session = Some(Session::for_diagnostics("prettier", line.number));
        }
        let Some(session) = &mut self.session else {
            return;
        };
        session.lines.1 = line.number;
        if let Some(warning) = text.strip_prefix("[warn] ") {
            session.broke = true;
            if warning.starts_with("Code style issues ") {
                session.evidence = Evidence::Complete;
                self.end(sessions);
            } else {
                let failure = Failure::named("prettier")
                    .at(warning, None)
                    .because("Code style differs from Prettier's");
                session.add(failure);
            }
        } else if let Some(error) = text.strip_prefix("[error] ") {
            session.broke = true;
            match unreadable(error) {
                Some(failure) => session.add(failure),
                None => append(session.failures.last_mut(), error),
            }
        } else if text != "Checking formatting..." {
            session.evidence = Evidence::Complete;
            self.end(sessions);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        if let Some(session) = self.session.take() {
            sessions.push(session);
        }
    }
}

/// `src/b.js: SyntaxError: Unexpected token (1:11)`.
fn unreadable(text: &str) -> Option<Failure> {
    let (file, message) = text.split_once(": ")?;
    let (name, _) = message.split_once(": ")?;
    if !name.ends_with("Error") || name.contains(' ') {
        return None;
    }
    let line = message
        .rsplit_once('(')
        .and_then(|(_, place)| place.split(':').next()?.parse().ok());
    Some(Failure::named(name).at(file, line).because(message))
}

/// The code below a syntax error.
fn append(failure: Option<&mut Failure>, text: &str) {
    const MAX_ERROR_LEN: usize = 4_000;
    if let Some(failure) = failure
        && failure.error.len() < MAX_ERROR_LEN
    {
        failure.error.push('\n');
        failure.error.push_str(text);
    }
}
