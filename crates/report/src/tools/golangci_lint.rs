//! Reads golangci-lint: its JSON (`Issues`), and its text output.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, Edit, Fix, TextRange};
use serde::Deserialize;

use super::Tool;
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::documents::Document;
use crate::json;
use crate::place::{Place, extension, trailing_rule};
use crate::session::Session;

pub(super) const TOOL: Tool = Tool {
    document: Some(Document::Json {
        has: |keys| keys.of_object(&["Issues", "Report"]),
        read: document,
    }),
    diagnostics: &[DiagnosticsReader::generic(
        diagnostics::Tool::GolangciLint,
        diagnostics,
    )],
    ..Tool::NONE
};

const NAME: &str = "golangci-lint";

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Report {
    issues: Option<Vec<Issue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Issue {
    from_linter: String,
    text: String,
    #[serde(default)]
    severity: String,
    pos: Position,
    replacement: Option<Replacement>,
    suggested_fixes: Option<Vec<serde::de::IgnoredAny>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Position {
    filename: String,
    line: u64,
    column: Option<u64>,
}

/// Version 1 replaces whole lines.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Replacement {
    new_lines: Option<Vec<String>>,
}

fn document(text: &[u8]) -> Option<Session> {
    let report: Report = json::first_value(text)?;
    let found = report.issues.into_iter().flatten().map(from_issue);
    let mut session = diagnostics::session(NAME, found, "");
    session.broke = !session.failures.is_empty();
    Some(session)
}

fn diagnostics(output: &Output) -> Vec<Diagnostic> {
    match output.json::<Report>().and_then(|report| report.issues) {
        Some(issues) => issues.into_iter().map(from_issue).collect(),
        None => output.lines().filter_map(parse_line).collect(),
    }
}

fn from_issue(issue: Issue) -> Diagnostic {
    let position = issue.pos;
    let column = position.column.filter(|column| *column > 0);
    let range = TextRange::point(position.line, column);
    let can_fix =
        issue.replacement.is_some() || issue.suggested_fixes.is_some_and(|fixes| !fixes.is_empty());
    let lines = issue.replacement.and_then(|replaced| replaced.new_lines);
    let fix = can_fix.then(|| Fix {
        edits: lines
            .map(|lines| Edit {
                range: TextRange::between((position.line, 1), (position.line + 1, 1)),
                replacement: lines
                    .iter()
                    .flat_map(|line| [line.as_str(), "\n"])
                    .collect(),
            })
            .into_iter()
            .collect(),
        ..Fix::automatic()
    });
    Diagnostic {
        fix,
        ..Diagnostic::new(NAME, issue.text)
            .in_file(position.filename)
            .at(range)
            .with_rule(issue.from_linter)
            .with_severity(match issue.severity.as_str() {
                "warning" | "low" => DiagnosticSeverity::Warning,
                "info" => DiagnosticSeverity::Note,
                _ => DiagnosticSeverity::Error,
            })
    }
}

/// `a.go:8:2: message (linter)`.
fn parse_line(line: &str) -> Option<Diagnostic> {
    let place = Place::leading(line)?;
    if line.starts_with([' ', '\t']) || extension(place.file) != "go" {
        return None;
    }
    let (message, rule) = trailing_rule(place.rest.strip_prefix(": ")?, ['(', ')']);
    Some(place.diagnostic(NAME, message).with_rule(rule?))
}
