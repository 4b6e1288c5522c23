//! Reads mypy: `--output json`, and its text output.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, TextPosition, TextRange};
use serde::Deserialize;

use super::output::Output;
use super::place::{Place, trailing_rule};

const TOOL: &str = "mypy";

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

pub(super) fn read(output: &Output) -> Vec<Diagnostic> {
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
    let message = match found.hint {
        Some(hint) => format!("{} ({hint})", found.message),
        None => found.message,
    };
    let mut diagnostic = Diagnostic::new(TOOL, message)
        .in_file(found.file)
        .of_severity(severity(&found.severity));
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
    if !matches!(word, "error" | "warning" | "note") {
        return None;
    }
    let (message, rule) = trailing_rule(message, ['[', ']']);
    let mut diagnostic = Diagnostic::new(TOOL, message)
        .in_file(place.file)
        .at(place.range())
        .of_severity(severity(word));
    diagnostic.rule = rule.map(str::to_owned);
    Some(diagnostic)
}

fn severity(word: &str) -> DiagnosticSeverity {
    match word {
        "note" => DiagnosticSeverity::Note,
        "warning" => DiagnosticSeverity::Warning,
        _ => DiagnosticSeverity::Error,
    }
}
