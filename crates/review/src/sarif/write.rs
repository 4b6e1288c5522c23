//! Writes findings as a SARIF log.

use serde_json::{Map, Value, json};

use crate::finding::{Finding, Kind, Place, Severity};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// One run with all findings. `version` is that of the program; `notes` say what was not
/// reviewed, so that nothing is taken for clean.
pub fn write(findings: &[Finding], notes: &[String], version: &str) -> String {
    let mut ids: Vec<&str> = findings
        .iter()
        .map(|finding| finding.rule.as_str())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let rules: Vec<Value> = ids
        .iter()
        .filter_map(|id| findings.iter().find(|finding| finding.rule == *id))
        .map(rule)
        .collect();
    let results: Vec<Value> = findings
        .iter()
        .map(|finding| {
            result(
                finding,
                ids.binary_search(&finding.rule.as_str()).unwrap_or(0),
            )
        })
        .collect();
    let notifications: Vec<Value> = notes
        .iter()
        .map(|note| json!({ "level": "warning", "message": { "text": note } }))
        .collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "baton", "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn rule(example: &Finding) -> Value {
    let mut tags = vec![Value::from(example.kind.as_str())];
    if let Some(cwe) = example.cwe {
        tags.push(Value::from(format!("external/cwe/cwe-{cwe:03}")));
    }
    let mut properties = Map::new();
    properties.insert("tags".to_owned(), Value::from(tags));
    if example.kind == Kind::Security {
        properties.insert(
            "security-severity".to_owned(),
            Value::from(score(example.severity)),
        );
    }
    json!({
        "id": example.rule,
        "shortDescription": { "text": example.class.replace('-', " ") },
        "fullDescription": { "text": format!("{} – {}", example.class.replace('-', " "), example.why) },
        "help": { "text": example.remedy },
        "defaultConfiguration": { "level": level(example.severity) },
        "properties": properties,
    })
}

fn result(finding: &Finding, rule_index: usize) -> Value {
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": level(finding.severity),
        "message": { "text": format!("{} – {}", finding.what, finding.why) },
        "locations": [location(&finding.place, Some(&finding.excerpt))],
        "partialFingerprints": { "baton/v1": finding.fingerprint },
        "properties": {
            "id": finding.id(),
            "severity": finding.severity.as_str(),
            "class": finding.class,
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
                let mut place = location(&step.place, None);
                place["message"] = json!({ "text": step.note });
                json!({ "location": place })
            })
            .collect();
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
    }
    result
}

fn location(place: &Place, excerpt: Option<&str>) -> Value {
    let mut region = json!({
        "startLine": place.start_line,
        "startColumn": place.start_column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    });
    if let Some(excerpt) = excerpt {
        region["snippet"] = json!({ "text": excerpt });
    }
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": as_uri(&place.path) },
            "region": region,
        }
    })
}

/// A relative path as a relative reference.
fn as_uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~+@".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
            uri.push('%');
            uri.push(char::from(DIGITS[usize::from(byte >> 4)]));
            uri.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
    uri
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low => "note",
    }
}

/// The middle of the ranges that code scanning shows as these words.
const fn score(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "9.5",
        Severity::High => "8.0",
        Severity::Medium => "5.5",
        Severity::Low => "2.0",
    }
}
