//! Reads `ESLint`: the stylish, compact and unix formats.

use crate::format::{Format, Line, Trigger};
use crate::place::looks_like_a_file;
use crate::session::{Evidence, Failure, Session, Sessions};

#[derive(Default)]
pub(crate) struct Eslint {
    session: Option<Session>,
    /// The path above the problems of a file, in the stylish format.
    file: Option<(String, u64)>,
    /// They fail the run only if there are too many.
    warnings: Vec<Failure>,
}

/// More than a user reads.
const MAX_WARNINGS: usize = 1_000;

impl Format for Eslint {
    fn triggers(&self) -> &'static [Trigger] {
        &[
            Trigger::Start("/"),
            Trigger::Start("C:\\"),
            Trigger::Start("D:\\"),
            Trigger::Anywhere("  error  "),
            Trigger::Anywhere("  warning  "),
            Trigger::Start("✖ "),
            Trigger::Start("ESLint found too many warnings"),
            Trigger::Start("Oops! Something went wrong! :("),
        ]
    }

    fn awake(&self) -> bool {
        false
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if let Some((is_error, failure)) = one_line(text).or_else(|| self.stylish(text)) {
            self.problem(is_error, failure, line.number);
        } else if is_path(text) {
            self.file = Some((text.to_owned(), line.number));
        } else if is_summary(text) {
            if let Some(session) = &mut self.session {
                session.lines.1 = line.number;
                session.evidence = Evidence::Complete;
            }
        } else if text.starts_with("ESLint found too many warnings") {
            let warnings = std::mem::take(&mut self.warnings);
            let session = self.session(line.number);
            session.broke = true;
            session.lines.1 = line.number;
            for warning in warnings {
                session.add(warning);
            }
            self.end(sessions);
        } else if text == "Oops! Something went wrong! :(" {
            self.session(line.number).broke = true;
            self.end(sessions);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        if let Some(session) = self.session.take()
            && (session.failed() || session.evidence == Evidence::Complete)
        {
            sessions.push(session);
        }
        *self = Self::default();
    }
}

impl Eslint {
    fn session(&mut self, number: u64) -> &mut Session {
        self.session
            .get_or_insert_with(|| Session::for_diagnostics("eslint", number))
    }

    fn problem(&mut self, is_error: bool, failure: Failure, number: u64) {
        let first = self.file.as_ref().map_or(number, |(_, at)| *at);
        let session = self.session(first);
        session.lines.1 = number;
        if is_error {
            session.broke = true;
            session.add(failure);
        } else if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(failure);
        }
    }

    /// `  1:7   error    'x' is never used  no-unused-vars`, below a path.
    fn stylish(&self, text: &str) -> Option<(bool, Failure)> {
        let (file, _) = self.file.as_ref()?;
        let rest = text.strip_prefix("  ")?.trim_start();
        let (place, rest) = rest.split_once("  ")?;
        let (line, column) = place.split_once(':')?;
        let (line, _): (u64, u64) = (line.parse().ok()?, column.parse().ok()?);
        let (severity, rest) = rest.trim_start().split_once("  ")?;
        let is_error = match severity {
            "error" => true,
            "warning" => false,
            _ => return None,
        };
        let rest = rest.trim();
        let (message, rule) = match rest.rsplit_once("  ") {
            Some((message, rule)) if !rule.contains(' ') => (message.trim_end(), Some(rule)),
            _ => (rest, None),
        };
        Some((is_error, problem(file, line, message, rule)))
    }
}

/// `/a.js: line 1, col 7, Error - message. (rule)` of the compact format and
/// `/a.js:1:7: message. [Error/rule]` of the unix format.
fn one_line(text: &str) -> Option<(bool, Failure)> {
    if let Some((file, rest)) = text.split_once(": line ") {
        let (line, rest) = rest.split_once(", col ")?;
        let (_, rest) = rest.split_once(", ")?;
        let (severity, message) = rest.split_once(" - ")?;
        let (message, rule) = match message.strip_suffix(')').and_then(|m| m.rsplit_once(" (")) {
            Some((message, rule)) if !rule.contains(' ') => (message, Some(rule)),
            _ => (message, None),
        };
        let failure = problem(file, line.parse().ok()?, message, rule);
        return Some((severity == "Error", failure));
    }
    let (rest, tag) = text.strip_suffix(']')?.rsplit_once(" [")?;
    let (severity, rule) = match tag.split_once('/') {
        Some((severity, rule)) => (severity, Some(rule)),
        None => (tag, None),
    };
    if !matches!(severity, "Error" | "Warning") {
        return None;
    }
    let (file, line, message) = crate::place::leading(rest)?;
    let message = message.strip_prefix(": ")?;
    Some((severity == "Error", problem(file, line, message, rule)))
}

fn problem(file: &str, line: u64, message: &str, rule: Option<&str>) -> Failure {
    let name = match rule {
        Some(rule) => rule,
        None if message.starts_with("Parsing error") => "parsing-error",
        None => "eslint",
    };
    Failure::named(name).at(file, Some(line)).because(message)
}

/// An absolute path and nothing else.
fn is_path(text: &str) -> bool {
    let is_absolute = text.starts_with('/') || text.get(1..3) == Some(":\\");
    is_absolute && looks_like_a_file(text) && !text.contains(": ")
}

/// `✖ 6 problems (5 errors, 1 warning)`.
fn is_summary(text: &str) -> bool {
    text.strip_prefix("✖ ")
        .and_then(|rest| rest.split_once(" problem"))
        .is_some_and(|(number, _)| number.parse::<u64>().is_ok())
}
