//! The standard format of static analysis, for other programs.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, TextRange};
use baton_protocol::phase::validation_details::ToolDetails;
use baton_protocol::sarif::{Component, Location, Message, Region, Run, RunResult, Tool};

use super::Answer;

/// One run with what the reviews found, and one for each tool that complains.
/// `version` is that of the program.
pub fn as_sarif(answer: &Answer, version: &str) -> String {
    let details = &answer.details;
    let mut log = baton_review::sarif::log(&answer.findings, &details.code_review.notes, version);
    let tools = [&details.formatter, &details.linter, &details.build];
    log.runs.extend(tools.into_iter().filter_map(tool_run));
    log.to_text()
}

fn tool_run(details: &ToolDetails) -> Option<Run> {
    let first = details.diagnostics.first()?;
    let driver = Component {
        name: first.tool.clone(),
        ..Component::default()
    };
    Some(Run {
        tool: Tool {
            driver,
            extensions: Vec::new(),
        },
        results: Some(details.diagnostics.iter().map(result).collect()),
        ..Run::default()
    })
}

fn result(diagnostic: &Diagnostic) -> RunResult {
    let level = match diagnostic.severity {
        DiagnosticSeverity::Error => "error",
        DiagnosticSeverity::Warning => "warning",
        DiagnosticSeverity::Note => "note",
    };
    let file = diagnostic.file.as_deref();
    let location = file.map(|file| Location::new(file, diagnostic.range.as_ref().map(region)));
    RunResult {
        rule_id: diagnostic.rule.clone(),
        level: Some(level.to_owned()),
        message: Message::new(&diagnostic.message),
        locations: location.into_iter().collect(),
        ..RunResult::default()
    }
}

/// SARIF counts from one.
fn region(range: &TextRange) -> Region {
    let (start, end) = (range.start, range.end);
    Region {
        start_line: Some(start.line.max(1)),
        start_column: start.column.map(|column| column.max(1)),
        end_line: end.map(|end| end.line.max(1)),
        end_column: end.and_then(|end| end.column).map(|column| column.max(1)),
        snippet: None,
    }
}
