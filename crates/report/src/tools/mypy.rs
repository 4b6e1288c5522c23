//! Reads mypy: plain, `--pretty` and `--output json`.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, TextPosition, TextRange};
use serde::Deserialize;

use super::Tool;
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::place::{self, Place, trailing_rule};
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool {
    diagnostics: &[DiagnosticsReader::distinctive(
        diagnostics::Tool::Mypy,
        diagnostics,
    )],
    ..Tool::text::<Mypy>(&[], &[ERROR])
};

#[derive(Default)]
struct Mypy {
    session: Option<Session>,
    /// Lines since the latest diagnostic.
    idle: u32,
}

const ERROR: &str = ": error: ";
/// The name of an error without a code.
const UNNAMED: &str = "mypy";

impl TextReader for Mypy {
    fn awake(&self) -> bool {
        self.session.is_some()
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        /// Enough for the notes and source lines of one diagnostic.
        const MAX_IDLE_LINES: u32 = 100;
        if let Some(failure) = diagnostic(line.text) {
            self.idle = 0;
            let session = self.session.begin_diagnostics("mypy", line.number);
            session.lines.1 = line.number;
            session.broke = true;
            session.add(failure);
        } else if let Some(session) = &mut self.session {
            if is_summary(line.text) {
                session.lines.1 = line.number;
                session.evidence = Evidence::Summary;
                return self.end(sessions);
            }
            if let Some(last) = session.failures.last_mut() {
                continued(last, line.text);
            }
            self.idle += 1;
            if self.idle > MAX_IDLE_LINES {
                self.end(sessions);
            }
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.idle = 0;
        // C compilers print ": error: " too; the summary or the codes in
        // brackets show that it was mypy.
        if let Some(session) = self.session.take()
            && (session.evidence > Evidence::Fragment
                || session.failures.iter().all(|f| f.name != UNNAMED))
        {
            sessions.push(session);
        }
    }
}

/// `app.py:6:12: error: Not that type  [arg-type]`
fn diagnostic(text: &str) -> Option<Failure> {
    let (place, message) = text.split_once(ERROR)?;
    let (file, line, rest) = place::leading(place)?;
    // With `--show-error-end` there are two more numbers.
    if !rest.bytes().all(|b| b == b':' || b.is_ascii_digit()) || !is_python(file) {
        return None;
    }
    let (message, code) = split_code(message);
    Some(
        Failure::named(code.unwrap_or(UNNAMED))
            .at(file, Some(line))
            .because(message),
    )
}

/// `--pretty` wraps long messages and prints the source below.
fn continued(failure: &mut Failure, text: &str) {
    if failure.name != UNNAMED || text.starts_with("        ") || failure.error.len() > 2_000 {
        return;
    }
    let (message, code) = split_code(text.trim());
    if let Some(code) = code {
        code.clone_into(&mut failure.name);
    }
    if !message.is_empty() {
        failure.error.push(' ');
        failure.error.push_str(message);
    }
}

/// `Not that type  [arg-type]`
fn split_code(message: &str) -> (&str, Option<&str>) {
    let code = message
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['))
        .filter(|(before, code)| {
            (before.is_empty() || before.ends_with(' '))
                && !code.is_empty()
                && code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
        });
    match code {
        Some((message, code)) => (message.trim_end(), Some(code)),
        None => (message, None),
    }
}

/// `Found 2 errors in 1 file (checked 3 source files)`
fn is_summary(text: &str) -> bool {
    text.starts_with("Found ") && text.contains(" error") && text.contains(" in ")
}

fn is_python(file: &str) -> bool {
    [".py", ".pyi"].iter().any(|end| file.ends_with(end))
}

#[derive(Deserialize)]
struct MypyMessage {
    file: String,
    line: i64,
    column: i64,
    end_line: Option<i64>,
    end_column: Option<i64>,
    message: String,
    hint: Option<String>,
    code: Option<String>,
    severity: String,
}

fn diagnostics(output: &Output) -> Vec<Diagnostic> {
    let machine: Vec<Diagnostic> = output.json_lines().map(from_message).collect();
    if machine.is_empty() {
        return output.lines().filter_map(parse_line).collect();
    }
    machine
}

fn from_message(found: MypyMessage) -> Diagnostic {
    // Unknown numbers are negative; columns count from 0.
    let line = |line: i64| u64::try_from(line).ok().filter(|line| *line > 0);
    let column = |column: i64| u64::try_from(column).ok().map(|c| c.saturating_add(1));
    let severity = diagnostics::severity(&found.severity).unwrap_or(DiagnosticSeverity::Error);
    let message = match found.hint {
        Some(hint) => format!("{} ({hint})", found.message),
        None => found.message,
    };
    let mut diagnostic = Diagnostic::new("mypy", message)
        .in_file(found.file)
        .with_severity(severity);
    diagnostic.rule = found.code;
    diagnostic.range = line(found.line).map(|first| TextRange {
        start: TextPosition {
            line: first,
            column: column(found.column),
        },
        end: found.end_line.and_then(line).map(|last| TextPosition {
            line: last,
            column: found.end_column.and_then(column),
        }),
    });
    diagnostic
}

/// `a.py:12: error: Incompatible return value  [return-value]`.
fn parse_line(line: &str) -> Option<Diagnostic> {
    let place = Place::leading(line)?;
    let (word, message) = place.rest.strip_prefix(": ")?.split_once(": ")?;
    let severity = diagnostics::severity(word)?;
    let (message, rule) = trailing_rule(message, ['[', ']']);
    let mut diagnostic = place.diagnostic("mypy", message).with_severity(severity);
    diagnostic.rule = rule.map(str::to_owned);
    Some(diagnostic)
}
