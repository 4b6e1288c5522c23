//! Reads flake8, ruff and pylint: `path:line:column: CODE message`, and ruff's
//! other layouts.

use baton_protocol::diagnostic::{Diagnostic, Edit, Fix, TextRange};
use serde::Deserialize;

use super::Tool;
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::place::{self, Place};
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool {
    diagnostics: &[
        DiagnosticsReader::distinctive(diagnostics::Tool::Ruff, diagnostics),
        DiagnosticsReader::shared(diagnostics::Tool::RuffFormat, diagnostics),
    ],
    ..Tool::text::<PythonLint>(&[], &[".py:"])
};

#[derive(Default)]
struct PythonLint {
    session: Option<Session>,
    /// The file whose findings are being listed, with `--output-format grouped`.
    group: Option<String>,
    /// Lines since the latest finding.
    idle: u32,
}

/// A finding, and the tool whose format it has.
struct Finding {
    tool: &'static str,
    failure: Failure,
}

impl TextReader for PythonLint {
    fn awake(&self) -> bool {
        self.session.is_some() || self.group.is_some()
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        /// Enough for the source lines that ruff prints with a finding.
        const MAX_IDLE_LINES: u32 = 40;
        if let Some(finding) = self.finding(line) {
            self.add(finding, line.number, sessions);
        } else if let Some(file) = line.text.strip_suffix(".py:") {
            self.group = Some(format!("{file}.py"));
        } else if self.ends_at(line.text) {
            if let Some(session) = &mut self.session {
                session.lines.1 = line.number;
                session.evidence = Evidence::Summary;
            }
            self.end(sessions);
        } else {
            self.idle += 1;
            if self.idle > MAX_IDLE_LINES {
                self.end(sessions);
            }
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.group = None;
        self.idle = 0;
        self.session.close(sessions);
    }
}

impl PythonLint {
    fn finding(&self, line: Line<'_>) -> Option<Finding> {
        if let Some(place) = line.text.trim_start().strip_prefix("--> ") {
            return full(place, &String::from_utf8_lossy(line.previous));
        }
        if let Some(group) = &self.group
            && line.text.starts_with("  ")
        {
            return grouped(line.text.trim_start(), group);
        }
        concise(line.text)
    }

    fn add(&mut self, finding: Finding, number: u64, sessions: &mut Sessions) {
        self.idle = 0;
        let changed = |session: &Session| {
            session.framework != finding.tool
                // flake8's and ruff's lines look the same until ruff marks one.
                && !matches!(
                    (session.framework, finding.tool),
                    ("flake8", "ruff") | ("ruff", "flake8")
                )
        };
        if self.session.as_ref().is_some_and(changed) {
            let group = self.group.take();
            self.end(sessions);
            self.group = group;
        }
        let session = self.session.begin_diagnostics(finding.tool, number);
        if finding.tool == "ruff" {
            session.framework = "ruff";
        }
        session.lines.1 = number;
        session.broke = true;
        session.add(finding.failure);
    }

    /// `Found 2 errors.` is ruff's, `Your code has been rated at …` pylint's.
    fn ends_at(&mut self, text: &str) -> bool {
        let Some(session) = &mut self.session else {
            return false;
        };
        if text.starts_with("Found ") && text.ends_with('.') && text.contains(" error") {
            session.framework = "ruff";
            return true;
        }
        text.starts_with("Your code has been rated at ") || text.contains(" would be reformatted")
    }
}

/// `app.py:3:1: F401 [*] message` or `app.py:3:0: C0114: Message (symbol)`
fn concise(text: &str) -> Option<Finding> {
    if text.starts_with(' ') {
        return None;
    }
    // In an annotation, the finding follows the annotation's own fields.
    let text = text.strip_prefix("::error ").map_or(text, |fields| {
        fields
            .split_once("::")
            .map_or(fields, |(_, finding)| finding)
    });
    let (file, line, rest) = place::leading(text)?;
    if !is_python(file) {
        return None;
    }
    coded(rest.strip_prefix(": ")?, file, line)
}

/// `  3:1 F401 [*] message`, below `app.py:`.
fn grouped(text: &str, file: &str) -> Option<Finding> {
    let (place, rest) = text.split_once(' ')?;
    let (line, column) = place.split_once(':')?;
    if column.is_empty() || !column.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut finding = coded(rest.trim_start(), file, line.parse().ok()?)?;
    finding.tool = "ruff";
    Some(finding)
}

/// `F401 [*] message` on one line, ` --> app.py:3:1` on the next.
fn full(place: &str, header: &str) -> Option<Finding> {
    let (file, line, rest) = place::leading(place)?;
    if !is_python(file) || !rest.is_empty() {
        return None;
    }
    let mut finding = coded(header, file, line)?;
    finding.tool = "ruff";
    Some(finding)
}

fn coded(text: &str, file: &str, line: u64) -> Option<Finding> {
    let (code, message) = text.split_once(' ')?;
    let (tool, name) = match code.strip_suffix(':') {
        // Findings of ruff without a rule.
        Some(name @ ("invalid-syntax" | "SyntaxError" | "unformatted")) => ("ruff", name),
        Some(code) if is_code(code) && message.ends_with(')') => ("pylint", code),
        None if is_code(code) && message.starts_with("[*] ") => ("ruff", code),
        None if is_code(code) => ("flake8", code),
        _ => return None,
    };
    let message = message.strip_prefix("[*] ").unwrap_or(message);
    let failure = Failure::named(name).at(file, Some(line));
    Some(Finding {
        tool,
        failure: failure.because(format!("{name} {message}")),
    })
}

/// `F401`, `PLR0913`, `DJ01`: a few capitals, then digits.
pub(super) fn is_code(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = text.len() - digits.len();
    (1..=6).contains(&letters)
        && (1..=6).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
}

fn is_python(file: &str) -> bool {
    [".py", ".pyi"].iter().any(|end| file.ends_with(end))
}

#[derive(Deserialize)]
struct Violation {
    code: Option<String>,
    filename: String,
    location: Location,
    end_location: Location,
    message: String,
    fix: Option<Offer>,
}

#[derive(Clone, Copy, Deserialize)]
struct Location {
    row: u64,
    column: u64,
}

#[derive(Deserialize)]
struct Offer {
    applicability: String,
    message: Option<String>,
    edits: Vec<Replacement>,
}

#[derive(Deserialize)]
struct Replacement {
    content: String,
    location: Location,
    end_location: Location,
}

fn diagnostics(output: &Output) -> Vec<Diagnostic> {
    match output.json::<Vec<Violation>>() {
        Some(violations) => violations.into_iter().map(from_violation).collect(),
        None => text_diagnostics(output),
    }
}

fn from_violation(violation: Violation) -> Diagnostic {
    let mut diagnostic = Diagnostic::new("ruff", violation.message)
        .in_file(violation.filename)
        .at(range(violation.location, violation.end_location));
    diagnostic.rule = violation.code;
    diagnostic.fix = violation.fix.map(|offer| Fix {
        description: offer.message,
        is_automatic: offer.applicability == "safe",
        edits: offer
            .edits
            .into_iter()
            .map(|edit| Edit {
                range: range(edit.location, edit.end_location),
                replacement: edit.content,
            })
            .collect(),
    });
    diagnostic
}

fn range(start: Location, end: Location) -> TextRange {
    TextRange::between((start.row, start.column), (end.row, end.column))
}

fn text_diagnostics(output: &Output) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut heading = None;
    for line in output.lines() {
        if let Some(file) = line.strip_prefix("Would reformat: ") {
            found.push(diagnostics::unformatted("ruff", file));
        } else if let Some(place) = line.trim_start().strip_prefix("--> ") {
            // The full format: the message, and its place below.
            if let (Some(diagnostic), Some(place)) = (heading.take(), Place::leading(place)) {
                found.push(place.locate(diagnostic));
            }
        } else if let Some(place) = line.strip_prefix("error: Failed to parse ")
            && let Some(place) = Place::leading(place)
        {
            let message = place.rest.trim_start_matches(": ");
            let diagnostic = place.diagnostic("ruff", message);
            found.push(diagnostic.with_rule("invalid-syntax"));
        } else if let Some(place) = Place::leading(line)
            && let Some(diagnostic) = place.rest.strip_prefix(": ").and_then(parse_heading)
        {
            found.push(place.locate(diagnostic));
        } else {
            heading = parse_heading(line);
        }
    }
    found
}

/// `F401 [*] …`, `invalid-syntax: …` or `unformatted: File would be reformatted`.
fn parse_heading(text: &str) -> Option<Diagnostic> {
    for name in ["invalid-syntax", "unformatted"] {
        if let Some(message) = text.strip_prefix(name).and_then(|t| t.strip_prefix(": ")) {
            let diagnostic = Diagnostic::new("ruff", message).with_rule(name);
            return Some(match name {
                "unformatted" => diagnostic.mended_by(Fix::automatic()),
                _ => diagnostic,
            });
        }
    }
    let (code, message) = text.split_once(' ')?;
    if !is_code(code) {
        return None;
    }
    let diagnostic = |message: &str| Diagnostic::new("ruff", message).with_rule(code);
    Some(match message.strip_prefix("[*] ") {
        Some(message) => diagnostic(message).mended_by(Fix::automatic()),
        None => diagnostic(message),
    })
}
