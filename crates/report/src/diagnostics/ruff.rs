//! Reads ruff: `--output-format json`, and the full and concise text formats.

use baton_protocol::diagnostic::{Diagnostic, Edit, Fix, TextRange};
use serde::Deserialize;

use super::output::Output;
use super::place::Place;

const TOOL: &str = "ruff";

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

pub(super) fn read(output: &Output) -> Vec<Diagnostic> {
    match output.json::<Vec<Violation>>() {
        Some(violations) => violations.into_iter().map(from_violation).collect(),
        None => text(output),
    }
}

fn from_violation(violation: Violation) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(TOOL, violation.message)
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

fn text(output: &Output) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut heading = None;
    for line in output.lines() {
        if let Some(file) = line.strip_prefix("Would reformat: ") {
            let unformatted = Diagnostic::new(TOOL, "is not formatted").in_file(file);
            found.push(unformatted.mended_by(Fix::automatic()));
        } else if let Some(place) = line.trim_start().strip_prefix("--> ") {
            // The full format: the message, and its place below.
            if let (Some(diagnostic), Some(place)) = (heading.take(), Place::leading(place)) {
                let diagnostic: Diagnostic = diagnostic;
                found.push(diagnostic.in_file(place.file).at(place.range()));
            }
        } else if let Some(place) = line.strip_prefix("error: Failed to parse ")
            && let Some(place) = Place::leading(place)
        {
            let message = place.rest.trim_start_matches(": ");
            let diagnostic = Diagnostic::new(TOOL, message).of_rule("invalid-syntax");
            found.push(diagnostic.in_file(place.file).at(place.range()));
        } else if let Some(place) = Place::leading(line)
            && let Some(diagnostic) = place.rest.strip_prefix(": ").and_then(parse_heading)
        {
            found.push(diagnostic.in_file(place.file).at(place.range()));
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
            let diagnostic = Diagnostic::new(TOOL, message).of_rule(name);
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
    let diagnostic = |message: &str| Diagnostic::new(TOOL, message).of_rule(code);
    Some(match message.strip_prefix("[*] ") {
        Some(message) => diagnostic(message).mended_by(Fix::automatic()),
        None => diagnostic(message),
    })
}

/// Capital letters and then digits, as in `PLR0913`.
pub(super) fn is_code(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = &word[letters..];
    (1..=6).contains(&letters)
        && (1..=6).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
}
