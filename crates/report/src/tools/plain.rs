//! Reads `file:line:column: message`, which flake8, pylint and most other tools
//! can print.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity};

use super::Tool;
use super::ruff::is_code;
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::place::{Place, looks_like_a_file, trailing_rule};

pub(super) const TOOL: Tool = Tool {
    diagnostics: &[DiagnosticsReader::generic(
        diagnostics::Tool::Plain,
        diagnostics,
    )],
    ..Tool::NONE
};

pub(super) fn diagnostics(output: &Output) -> Vec<Diagnostic> {
    output
        .lines()
        .filter_map(|line| parse_line("linter", line))
        .collect()
}

pub(super) fn parse_line(tool: &str, line: &str) -> Option<Diagnostic> {
    let place = Place::leading(line)?;
    let is_name = looks_like_a_file(place.file) && !place.file.contains(": ");
    if place.file.starts_with(' ') || !is_name {
        return None;
    }
    let message = place.rest.strip_prefix(':')?.trim();
    // `file:line:in 'method'` is a frame of a crashed Ruby program.
    if message.is_empty() || message.starts_with("in '") || message.starts_with("in `") {
        return None;
    }
    let (severity, message) = severity(message);
    // `F401 unused`, pylint's `W0611: unused`, or `unused [rule]`.
    let mut range = place.range();
    let (rule, message) = match message.split_once(' ') {
        Some((word, rest)) if is_code(word) => (Some(word), rest),
        Some((word, rest)) if word.strip_suffix(':').is_some_and(is_code) => {
            // pylint counts columns from 0.
            range.start.column = range.start.column.and_then(|column| column.checked_add(1));
            (word.strip_suffix(':'), rest)
        }
        _ => {
            let (message, rule) = trailing_rule(message, ['[', ']']);
            (rule, message)
        }
    };
    let mut diagnostic = place
        .diagnostic(tool, message)
        .with_severity(severity)
        .at(range);
    diagnostic.rule = rule.map(str::to_owned);
    Some(diagnostic)
}

fn severity(message: &str) -> (DiagnosticSeverity, &str) {
    const SEVERITIES: [(&str, DiagnosticSeverity); 4] = [
        ("error:", DiagnosticSeverity::Error),
        ("warning:", DiagnosticSeverity::Warning),
        ("note:", DiagnosticSeverity::Note),
        ("info:", DiagnosticSeverity::Note),
    ];
    SEVERITIES
        .into_iter()
        .find_map(|(word, severity)| Some((severity, message.strip_prefix(word)?.trim_start())))
        .unwrap_or((DiagnosticSeverity::Error, message))
}
