//! Reads javac, also when another build tool displays its output.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, TextRange};

use super::output::Output;
use super::place::Place;

const TOOL: &str = "javac";

pub(super) fn read(output: &Output) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    // The code, the caret below it, and what the message leaves out.
    let mut is_fresh = false;
    for line in output.lines() {
        if let Some(diagnostic) = parse_line(line) {
            found.push(diagnostic);
            is_fresh = true;
        } else if let Some(last) = found.last_mut().filter(|_| is_fresh) {
            if let Some(gap) = line.strip_suffix('^')
                && gap.trim().is_empty()
            {
                let column = gap.chars().count() as u64 + 1;
                last.range = last.line().map(|at| TextRange::point(at, Some(column)));
                continue;
            }
            let line = line.trim();
            if let Some((word, rest)) = line.split_once(": ")
                && matches!(
                    word,
                    "symbol" | "location" | "required" | "found" | "reason"
                )
            {
                last.message = format!("{}; {word}: {}", last.message, rest.trim());
            } else if line.ends_with(" errors") || line.ends_with(" error") {
                is_fresh = false;
            }
        }
    }
    found
}

/// `src/Total.java:7: error: incompatible types: …`.
fn parse_line(line: &str) -> Option<Diagnostic> {
    let place = Place::leading(line)?;
    if !is_source(place.file) {
        return None;
    }
    let (word, message) = place.rest.strip_prefix(": ")?.split_once(": ")?;
    let severity = match word {
        "error" => DiagnosticSeverity::Error,
        "warning" => DiagnosticSeverity::Warning,
        _ => return None,
    };
    // `warning: [unchecked] …` contains the name for `-Xlint`.
    let (rule, message) = match message.strip_prefix('[').and_then(|m| m.split_once("] ")) {
        Some((rule, message)) => (Some(rule), message),
        None => (None, message),
    };
    let mut diagnostic = Diagnostic::new(TOOL, message)
        .in_file(place.file)
        .at(place.range())
        .of_severity(severity);
    diagnostic.rule = rule.map(str::to_owned);
    Some(diagnostic)
}

fn is_source(file: &str) -> bool {
    [".java", ".kt", ".groovy", ".scala"]
        .iter()
        .any(|extension| file.ends_with(extension))
}
