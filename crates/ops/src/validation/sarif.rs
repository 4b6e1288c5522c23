//! The standard format of static analysis, for other programs.

use std::collections::BTreeMap;

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, TextRange};
use baton_protocol::phase::validation_details::{ToolDetails, ValidationDetails};
use baton_protocol::review::{FindingSeverity, ReviewFinding};
use serde_json::{Value, json};

/// One run per tool, and one for the reviews.
pub fn as_sarif(details: &ValidationDetails) -> String {
    let reviews = details
        .code_review
        .findings
        .iter()
        .chain(&details.security_review.findings);
    let mut runs = vec![review_run(reviews)];
    for tool in [&details.formatter, &details.linter, &details.build] {
        runs.extend(tool_runs(tool));
    }
    log(runs)
}

/// The findings of a review alone.
pub fn findings_as_sarif(findings: &[ReviewFinding]) -> String {
    log(vec![review_run(findings.iter())])
}

fn log(runs: Vec<Value>) -> String {
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": runs,
    });
    let text = serde_json::to_string_pretty(&log).expect("a value is plain data");
    format!("{text}\n")
}

fn review_run<'a>(findings: impl Iterator<Item = &'a ReviewFinding>) -> Value {
    let mut rules = BTreeMap::new();
    let mut results = Vec::new();
    for finding in findings {
        rules.entry(finding.rule.clone()).or_insert_with(|| {
            let mut rule = json!({
                "id": finding.rule,
                "shortDescription": { "text": finding.what },
                "help": { "text": finding.remedy },
                "properties": { "tags": [finding.class] },
            });
            if let Some(cwe) = finding.cwe {
                rule["properties"]["cwe"] = json!(format!("CWE-{cwe}"));
            }
            rule
        });
        results.push(review_result(finding));
    }
    run("baton", rules.into_values().collect(), results)
}

fn review_result(finding: &ReviewFinding) -> Value {
    let level = match finding.severity {
        FindingSeverity::Critical | FindingSeverity::High => "error",
        FindingSeverity::Medium => "warning",
        FindingSeverity::Low => "note",
    };
    let mut result = json!({
        "ruleId": finding.rule,
        "level": level,
        "message": { "text": format!("{} - {}", finding.what, finding.why) },
        "locations": [location(&finding.file, Some(&finding.range))],
        "partialFingerprints": { "baton/v1": finding.fingerprint },
        "properties": {
            "severity": finding.severity.name(),
            "class": finding.class,
            "remedy": finding.remedy,
        },
    });
    if let Some(cwe) = finding.cwe {
        result["properties"]["cwe"] = json!(format!("CWE-{cwe}"));
    }
    if !finding.trace.is_empty() {
        let steps: Vec<Value> = finding
            .trace
            .iter()
            .map(|step| {
                let mut place = location(&step.file, Some(&step.range));
                place["message"] = json!({ "text": step.note });
                json!({ "location": place })
            })
            .collect();
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
    }
    result
}

fn tool_runs(details: &ToolDetails) -> Option<Value> {
    let first = details.diagnostics.first()?;
    let results = details.diagnostics.iter().map(tool_result).collect();
    Some(run(&first.tool, Vec::new(), results))
}

fn tool_result(diagnostic: &Diagnostic) -> Value {
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
        result["locations"] = json!([location(file, diagnostic.range.as_ref())]);
    }
    result
}

fn run(tool: &str, rules: Vec<Value>, results: Vec<Value>) -> Value {
    json!({
        "tool": { "driver": { "name": tool, "rules": rules } },
        "results": results,
    })
}

fn location(file: &str, range: Option<&TextRange>) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": uri(file) } });
    if let Some(range) = range {
        place["region"] = region(range);
    }
    json!({ "physicalLocation": place })
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

/// A relative path as a URI reference.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}
