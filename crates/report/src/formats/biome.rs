//! Reads Biome: `check`, `lint`, `format` and `ci`.

use crate::excerpt::Excerpt;
use crate::format::{Format, Line, Trigger};
use crate::place::{leading, looks_like_a_file};
use crate::session::{Evidence, Failure, Session, Sessions};

#[derive(Default)]
pub(crate) struct Biome {
    session: Option<Session>,
    state: State,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Below a header, with whether it turned out to be an error.
    Diagnostic(Failure, Excerpt, Option<bool>),
}

impl Format for Biome {
    fn triggers(&self) -> &'static [Trigger] {
        &[Trigger::Anywhere(" ━━━━━━━━━━"), Trigger::Start("Checked ")]
    }

    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if let Some(header) = text.find(" ━━━━━━━━━━").and_then(|at| text.get(..at))
        {
            self.close();
            if let Some(failure) = headed(header) {
                self.session
                    .get_or_insert_with(|| Session::for_diagnostics("biome", line.number));
                self.state = State::Diagnostic(failure, Excerpt::default(), None);
            }
        } else if text.starts_with("Checked ") && text.contains(" file") {
            self.close();
            if let Some(session) = &mut self.session {
                session.evidence = Evidence::Summary;
                session.lines.1 = line.number;
            }
            self.end(sessions);
        } else if let State::Diagnostic(_, error, is_error) = &mut self.state {
            if text.is_empty() || text.starts_with(' ') {
                let mark = text.trim_start().split(' ').next().unwrap_or("");
                if is_error.is_none() && !mark.is_empty() {
                    *is_error = Some(matches!(mark, "✖" | "×"));
                }
                error.push(text);
            } else {
                self.close();
            }
        }
        if let Some(session) = &mut self.session {
            session.lines.1 = line.number;
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close();
        if let Some(session) = self.session.take() {
            sessions.push(session);
        }
    }
}

impl Biome {
    /// Warnings and notes do not fail a run.
    fn close(&mut self) {
        if let State::Diagnostic(failure, error, Some(true)) = std::mem::take(&mut self.state)
            && let Some(session) = &mut self.session
        {
            session.broke = true;
            session.add(failure.because(error.text()));
        }
    }
}

/// `src/a.js:1:19 lint/suspicious/noDoubleEquals  FIXABLE` and
/// `src/a.js format`.
fn headed(header: &str) -> Option<Failure> {
    let (place, category) = header.split_once(' ')?;
    let category = category.split(' ').next()?;
    match leading(place) {
        Some((file, line, "")) if looks_like_a_file(file) => {
            Some(Failure::named(category).at(file, Some(line)))
        }
        _ => looks_like_a_file(place).then(|| Failure::named(category).at(place, None)),
    }
}
