//! Reads the TypeScript compiler, plain and pretty.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, TextRange};

use super::output::Output;
use super::place::{Place, number};

const TOOL: &str = "tsc";

pub(super) fn read(output: &Output) -> Vec<Diagnostic> {
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
    let diagnostic = Diagnostic::new(TOOL, message)
        .of_rule(format!("TS{code}"))
        .of_severity(severity);
    if before.is_empty() {
        return Some(diagnostic);
    }
    if let Some(place) = before.strip_suffix(" - ") {
        let place = Place::leading(place)?;
        return Some(diagnostic.in_file(place.file).at(place.range()));
    }
    let (file, position) = before.strip_suffix("): ")?.rsplit_once('(')?;
    let (row, rest) = number(position)?;
    let column = rest.strip_prefix(',').and_then(number).map(|(c, _)| c);
    Some(diagnostic.in_file(file).at(TextRange::point(row, column)))
}
