//! Reads Maven: compiler errors, and the plugins that check style.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, TextRange};

use crate::diagnostics::Output;
use crate::place;
use crate::tools::{checkstyle, spotless};

pub(super) fn read(output: &Output) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for line in output.lines() {
        if let Some(diagnostic) = parse_line(line).or_else(|| checkstyle::parse_text_line(line)) {
            // Maven repeats each diagnostic in its summary.
            let is_known = found.iter().any(|known| is_same(known, &diagnostic));
            if !is_known {
                found.push(diagnostic);
            }
        } else if let Some(more) = line.strip_prefix("  ")
            && let Some(last) = found.last_mut()
            && let Some((word @ ("symbol" | "location"), rest)) = more.split_once(": ")
        {
            last.message = format!("{}; {word}: {}", last.message, rest.trim());
        }
    }
    if found.is_empty() {
        found = spotless::diagnostics(output);
    }
    if found.is_empty() {
        found.extend(output.lines().find_map(goal));
    }
    found
}

fn is_same(one: &Diagnostic, other: &Diagnostic) -> bool {
    (&one.file, one.range, &one.rule) == (&other.file, other.range, &other.rule)
}

/// `[ERROR] /a/Total.java:[7,15] incompatible types: …`.
fn parse_line(line: &str) -> Option<Diagnostic> {
    let (severity, rest) = [
        ("[ERROR] ", DiagnosticSeverity::Error),
        ("[WARNING] ", DiagnosticSeverity::Warning),
    ]
    .into_iter()
    .find_map(|(word, severity)| Some((severity, line.strip_prefix(word)?)))?;
    let (file, range, message) = bracketed(rest)?;
    if message.starts_with('(') {
        return None;
    }
    let message = message.strip_prefix("error: ").unwrap_or(message);
    Some(
        Diagnostic::new("maven", message)
            .in_file(file)
            .at(range)
            .with_severity(severity),
    )
}

/// `/a/Total.java:[7,15] rest`.
pub(in crate::tools) fn bracketed(text: &str) -> Option<(&str, TextRange, &str)> {
    let (file, rest) = text.split_once(":[")?;
    let (position, rest) = rest.split_once("] ")?;
    let (range, _) = place::position(position, ',')?;
    (!file.contains(' ')).then_some((file, range, rest))
}

/// What failed if there is no file to report.
fn goal(line: &str) -> Option<Diagnostic> {
    let message = line.strip_prefix("[ERROR] ")?;
    let is_failure = ["Failed to execute goal ", "No plugin found for prefix "]
        .iter()
        .any(|words| message.starts_with(words));
    is_failure.then(|| Diagnostic::new("maven", message))
}
