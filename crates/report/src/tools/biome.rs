//! Reads Biome: the text of `check`, `lint`, `format` and `ci`, and `--reporter=json`.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, Fix, TextPosition, TextRange};
use serde::Deserialize;

use super::Tool;
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::excerpt::Excerpt;
use crate::place::{Place, leading, looks_like_a_file};
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool {
    diagnostics: &[DiagnosticsReader::distinctive(
        diagnostics::Tool::Biome,
        diagnostics,
    )],
    ..Tool::text::<Biome>(&["Checked "], &[" ━━━━━━━━━━"])
};

#[derive(Default)]
struct Biome {
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

impl TextReader for Biome {
    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if let Some((header, rule)) = text.split_once(" ━")
            && rule.starts_with("━━━━━━━━━")
        {
            self.close();
            if let Some(failure) = headed(header) {
                self.session.begin_diagnostics("biome", line.number);
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
        self.session.reach(line.number);
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close();
        self.session.close(sessions);
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

#[derive(Deserialize)]
struct Report {
    diagnostics: Vec<Entry>,
    /// Only biome's documents have it.
    #[serde(rename = "command")]
    _command: String,
}

#[derive(Deserialize)]
struct Entry {
    severity: String,
    message: String,
    category: Option<String>,
    location: Option<Location>,
}

#[derive(Deserialize)]
struct Location {
    path: Option<String>,
    start: Option<Position>,
    end: Option<Position>,
}

#[derive(Deserialize)]
struct Position {
    line: u64,
    column: u64,
}

fn diagnostics(output: &Output) -> Vec<Diagnostic> {
    match output.json::<Report>() {
        Some(report) => report.diagnostics.into_iter().map(from_entry).collect(),
        None => text_diagnostics(output),
    }
}

fn from_entry(entry: Entry) -> Diagnostic {
    let severity = match entry.severity.as_str() {
        "warning" => DiagnosticSeverity::Warning,
        "information" | "hint" => DiagnosticSeverity::Note,
        _ => DiagnosticSeverity::Error,
    };
    let position = |at: &Position| TextPosition {
        line: at.line,
        column: Some(at.column),
    };
    let location = entry.location;
    let range = location.as_ref().and_then(|location| {
        // A diagnostic about a whole file has line 0.
        let start = location.start.as_ref().filter(|start| start.line > 0)?;
        Some(TextRange {
            start: position(start),
            end: location.end.as_ref().map(position),
        })
    });
    let is_format = entry.category.as_deref() == Some("format");
    Diagnostic {
        tool: "biome".to_owned(),
        file: location.and_then(|location| location.path),
        range,
        rule: entry.category,
        severity,
        message: plain_message(&entry.message),
        fix: is_format.then(Fix::automatic),
    }
}

/// Removes the content that biome would have printed.
fn plain_message(message: &str) -> String {
    if message.starts_with("Formatter would have printed") {
        return "is not formatted".to_owned();
    }
    message.to_owned()
}

/// `src/a.js:4:24 lint/suspicious/noDebugger  FIXABLE  ━━━`, and the message
/// below it, after a sign.
fn text_diagnostics(output: &Output) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut heading: Option<Diagnostic> = None;
    for line in output.lines() {
        if line.contains("━━━") {
            heading = diagnostic_headed(line);
            continue;
        }
        let Some((sign, message)) = line.trim_start().split_once(' ') else {
            continue;
        };
        let severity = match sign {
            "×" => DiagnosticSeverity::Error,
            "!" => DiagnosticSeverity::Warning,
            _ => continue,
        };
        if let Some(mut diagnostic) = heading.take() {
            diagnostic.severity = severity;
            diagnostic.message = plain_message(message);
            found.push(diagnostic);
        }
    }
    found
}

fn diagnostic_headed(line: &str) -> Option<Diagnostic> {
    let line = line.trim_end_matches('━').trim_end();
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let rule = words.next()?;
    let diagnostic = Diagnostic::new("biome", "").with_rule(rule);
    let mut diagnostic = match Place::leading(first) {
        Some(place) => place.locate(diagnostic),
        None => diagnostic.in_file(first),
    };
    // biome does not apply every suggested fix by itself.
    diagnostic.fix = (rule == "format").then(Fix::automatic);
    Some(diagnostic)
}
