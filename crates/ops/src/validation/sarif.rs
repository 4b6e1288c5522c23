//! The standard format of static analysis, for other programs.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, TextRange};
use baton_protocol::phase::validation_details::ToolDetails;
use serde_json::{Value, json};

use super::Answer;

/// One run with what the reviews found, and one for each tool that complains.
/// `version` is that of the program.
pub fn as_sarif(answer: &Answer, version: &str) -> String {
    let reviews =
        baton_review::sarif::write(&answer.findings, &answer.details.code_review.notes, version);
    let mut log: Value = serde_json::from_str(&reviews).expect("SARIF is JSON");
    let details = &answer.details;
    let tools = [&details.formatter, &details.linter, &details.build];
    if let Some(runs) = log["runs"].as_array_mut() {
        runs.extend(tools.into_iter().filter_map(tool_run));
    }
    format!("{log:#}\n")
}

fn tool_run(details: &ToolDetails) -> Option<Value> {
    let first = details.diagnostics.first()?;
    let results: Vec<Value> = details.diagnostics.iter().map(result).collect();
    Some(json!({
        "tool": { "driver": { "name": first.tool } },
        "results": results,
    }))
}

fn result(diagnostic: &Diagnostic) -> Value {
    let level = match diagnostic.severity {
        DiagnosticSeverity::Error => "error",
        DiagnosticSeverity::Warning => "warning",
        DiagnosticSeverity::Note => "note",
    };
    let mut result = json!({
        "level": level,
        "message": { "text": diagnostic.message },
        "locations": [],
    });
    if let Some(rule) = &diagnostic.rule {
        result["ruleId"] = json!(rule);
    }
    if let Some(file) = &diagnostic.file {
        let mut place = json!({ "artifactLocation": { "uri": as_uri(file) } });
        if let Some(range) = &diagnostic.range {
            place["region"] = region(range);
        }
        result["locations"] = json!([{ "physicalLocation": place }]);
    }
    result
}

fn region(range: &TextRange) -> Value {
    let mut region = json!({ "startLine": range.start.line.max(1) });
    if let Some(column) = range.start.column {
        region["startColumn"] = json!(column.max(1));
    }
    if let Some(end) = range.end {
        region["endLine"] = json!(end.line.max(1));
        if let Some(column) = end.column {
            region["endColumn"] = json!(column.max(1));
        }
    }
    region
}

/// A path as a reference; what a URI cannot hold is escaped.
fn as_uri(path: &str) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~+@".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push('%');
            uri.push(char::from(DIGITS[usize::from(byte >> 4)]));
            uri.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
    uri
}
