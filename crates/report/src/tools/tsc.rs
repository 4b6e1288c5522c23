//! Reads the TypeScript compiler, plain and pretty, also when a bundler displays
//! its output.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity};

use super::Tool;
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::excerpt::Excerpt;
use crate::place::{self, Place, number, position};
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool {
    diagnostics: &[DiagnosticsReader::distinctive(
        diagnostics::Tool::Tsc,
        diagnostics,
    )],
    ..Tool::text::<Tsc>(&["ERROR in ", "[tsl] ERROR in "], &["error TS"])
};

#[derive(Default)]
struct Tsc {
    session: Option<Session>,
    state: State,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Below `a.ts(4,7): error TS2322: …`; its explanation is indented.
    Plain(Failure, Excerpt),
    /// Below `a.ts:4:7 - error TS2322: …`; code and related places follow.
    Pretty(Failure, Excerpt, u32),
    /// Below webpack's `ERROR in a.ts:4:7`; code and message follow.
    Webpack(String, u64),
}

/// Maximum number of lines of code and related places in an error.
const MAX_LINES: u32 = 60;

impl TextReader for Tsc {
    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        let is_indented = text.starts_with(' ');
        match &mut self.state {
            State::Plain(_, error) if is_indented => error.push(text),
            State::Pretty(_, error, lines) if goes_on(text) && *lines < MAX_LINES => {
                *lines += 1;
                error.push(text);
            }
            State::Webpack(file, at) => {
                let failure = coded(text.trim_start()).map(|(code, message)| {
                    Failure::named(code)
                        .at(file.as_str(), Some(*at))
                        .because(message)
                });
                self.state = State::Outside;
                if let Some(failure) = failure {
                    self.session(line.number).add(failure);
                }
            }
            _ => self.outside(line, sessions),
        }
        self.session.reach(line.number);
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close();
        self.session.close(sessions);
    }
}

impl Tsc {
    fn session(&mut self, number: u64) -> &mut Session {
        self.session.get_or_insert_with(|| {
            let mut session = Session::for_diagnostics("tsc", number);
            session.broke = true;
            session
        })
    }

    fn outside(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        self.close();
        let text = line.text;
        if let Some((failure, is_pretty)) = error_line(text) {
            self.session(line.number);
            let mut error = Excerpt::default();
            error.push(&failure.error);
            self.state = if is_pretty {
                State::Pretty(failure, error, 0)
            } else {
                State::Plain(failure, error)
            };
        } else if let Some((file, at)) = webpack_header(text) {
            self.state = State::Webpack(file, at);
        } else if is_summary(text) && self.session.is_some() {
            self.session(line.number).evidence = Evidence::Summary;
            self.end(sessions);
        }
    }

    fn close(&mut self) {
        let (State::Plain(failure, error) | State::Pretty(failure, error, _)) =
            std::mem::take(&mut self.state)
        else {
            return;
        };
        self.session.add(failure.because(error.text()));
    }
}

/// The error that begins on the line, and whether it is in the pretty format.
fn error_line(text: &str) -> Option<(Failure, bool)> {
    // An indented line is part of another program's report.
    if text.starts_with(' ') {
        return None;
    }
    let at = text.find("error TS")?;
    let (before, rest) = text.split_at_checked(at)?;
    let (code, message) = coded(rest.strip_prefix("error ")?)?;
    let failure = Failure::named(code).because(message);
    if before.is_empty() {
        return Some((failure, false));
    }
    if let Some(place) = before.strip_suffix(" - ") {
        let (file, line, rest) = place::leading(unprefixed(place))?;
        return rest
            .is_empty()
            .then(|| (failure.at(file, Some(line)), true));
    }
    let (file, line) = bracketed(unprefixed(before.strip_suffix(": ")?))?;
    Some((failure.at(file, Some(line)), false))
}

/// `TS2322: message`.
fn coded(text: &str) -> Option<(&str, &str)> {
    let (code, message) = text.split_once(':')?;
    let digits = code.strip_prefix("TS")?;
    let is_code = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    is_code.then_some((code, message.trim()))
}

/// A task runner may put `web:build: ` or `Error: ` before the path.
fn unprefixed(place: &str) -> &str {
    place.rsplit(": ").next().unwrap_or(place)
}

/// `src/a.ts(4,7)`.
fn bracketed(place: &str) -> Option<(&str, u64)> {
    let (file, position) = place.strip_suffix(')')?.rsplit_once('(')?;
    let line = position.split(',').next()?.parse().ok()?;
    Some((file, line))
}

fn webpack_header(text: &str) -> Option<(String, u64)> {
    let text = text.strip_prefix("[tsl] ").unwrap_or(text);
    let place = text.strip_prefix("ERROR in ")?;
    let (file, line) = match place::leading(place) {
        Some((file, line, "")) => (file, line),
        _ => bracketed(place)?,
    };
    place::looks_like_a_file(file).then(|| (file.to_owned(), line))
}

/// Code begins with its line number; everything else is indented.
fn goes_on(text: &str) -> bool {
    text.is_empty()
        || text.starts_with(|c: char| c == ' ' || c.is_ascii_digit()) && !text.contains("error TS")
}

fn is_summary(text: &str) -> bool {
    text.starts_with("Found ") && (text.contains(" error in ") || text.contains(" errors in "))
}

fn diagnostics(output: &Output) -> Vec<Diagnostic> {
    output.lines().filter_map(parse_line).collect()
}

/// `a.ts(4,7): error TS2322: …`, `a.ts:4:7 - error TS2322: …`, or an error of
/// the configuration without a place.
fn parse_line(line: &str) -> Option<Diagnostic> {
    // An indented line is part of another program's report.
    if line.starts_with(' ') {
        return None;
    }
    let (before, severity, rest) = [
        ("error TS", DiagnosticSeverity::Error),
        ("warning TS", DiagnosticSeverity::Warning),
    ]
    .into_iter()
    .find_map(|(words, severity)| {
        let (before, rest) = line.split_once(words)?;
        Some((before, severity, rest))
    })?;
    let (code, rest) = number(rest)?;
    let message = rest.strip_prefix(':').unwrap_or(rest).trim();
    let diagnostic = Diagnostic::new("tsc", message)
        .with_rule(format!("TS{code}"))
        .with_severity(severity);
    if before.is_empty() {
        return Some(diagnostic);
    }
    if let Some(place) = before.strip_suffix(" - ") {
        let place = Place::leading(place)?;
        return Some(place.locate(diagnostic));
    }
    let (file, place) = before.strip_suffix("): ")?.rsplit_once('(')?;
    Some(diagnostic.in_file(file).at(position(place, ',')?.0))
}
