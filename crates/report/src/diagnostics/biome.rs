//! Reads biome: `--reporter=json`, and its text output.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, Fix, TextPosition, TextRange};
use serde::Deserialize;

use super::output::Output;
use super::place::Place;

const TOOL: &str = "biome";

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

pub(super) fn read(output: &Output) -> Vec<Diagnostic> {
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
        tool: TOOL.to_owned(),
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
            heading = headed(line);
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

fn headed(line: &str) -> Option<Diagnostic> {
    let line = line.trim_end_matches('━').trim_end();
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let rule = words.next()?;
    let diagnostic = Diagnostic::new(TOOL, "").of_rule(rule);
    let mut diagnostic = match Place::leading(first) {
        Some(place) => diagnostic.in_file(place.file).at(place.range()),
        None => diagnostic.in_file(first),
    };
    // biome does not apply every suggested fix by itself.
    diagnostic.fix = (rule == "format").then(Fix::automatic);
    Some(diagnostic)
}
