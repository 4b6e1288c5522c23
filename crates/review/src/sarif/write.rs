//! Writes findings as a SARIF log.

use baton_protocol::sarif::{
    CodeFlow, Component, Configuration, Invocation, Location, Log, Message, Notification, Region,
    Rule, Run, RunResult, ThreadFlow, ThreadFlowLocation, Tool,
};
use serde_json::{Map, Value, json};

use crate::finding::{Finding, Kind, Place, Severity, Step};

/// One run with all findings. `version` is that of the program; `notes` say what was not
/// reviewed, so that nothing is taken for clean.
pub fn log(findings: &[Finding], notes: &[String], version: &str) -> Log {
    let mut ids: Vec<&str> = findings
        .iter()
        .map(|finding| finding.rule.as_str())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let rules = ids
        .iter()
        .filter_map(|id| findings.iter().find(|finding| finding.rule == *id))
        .map(rule)
        .collect();
    let index = |finding: &Finding| ids.binary_search(&finding.rule.as_str()).unwrap_or(0);
    let results = findings
        .iter()
        .map(|finding| result(finding, index(finding)))
        .collect();
    let notifications = notes.iter().map(|note| Notification {
        level: "warning",
        message: Message::new(note),
    });
    Log::new(vec![Run {
        tool: Tool {
            driver: Component {
                name: "baton".to_owned(),
                version: Some(version.to_owned()),
                rules,
            },
            extensions: Vec::new(),
        },
        column_kind: Some("unicodeCodePoints"),
        invocations: vec![Invocation {
            execution_successful: true,
            tool_execution_notifications: notifications.collect(),
        }],
        results: Some(results),
    }])
}

fn rule(example: &Finding) -> Rule {
    let class = example.class.replace('-', " ");
    let mut tags = vec![Value::from(example.kind.as_str())];
    if let Some(cwe) = example.cwe {
        tags.push(Value::from(format!("external/cwe/cwe-{cwe:03}")));
    }
    let mut properties = json!({ "tags": tags });
    if example.kind == Kind::Security {
        properties["security-severity"] = json!(score(example.severity));
    }
    Rule {
        id: example.rule.clone(),
        name: None,
        full_description: Some(Message::new(format!("{class} – {}", example.why))),
        short_description: Some(Message::new(class)),
        help: Some(Message::new(&example.remedy)),
        default_configuration: Some(Configuration {
            level: Some(level(example.severity).to_owned()),
        }),
        properties,
    }
}

fn result(finding: &Finding, rule_index: usize) -> RunResult {
    let mut properties = json!({
        "id": finding.id(),
        "severity": finding.severity.as_str(),
        "class": finding.class,
    });
    if let Some(cwe) = finding.cwe {
        properties["cwe"] = json!(format!("CWE-{cwe}"));
    }
    let fingerprint = ("baton/v1".to_owned(), json!(finding.fingerprint));
    RunResult {
        rule_id: Some(finding.rule.clone()),
        rule_index: i64::try_from(rule_index).ok(),
        level: Some(level(finding.severity).to_owned()),
        message: Message::new(format!("{} – {}", finding.what, finding.why)),
        locations: vec![location(&finding.place, Some(&finding.excerpt))],
        partial_fingerprints: Map::from_iter([fingerprint]),
        properties,
        code_flows: code_flow(&finding.trace).into_iter().collect(),
        ..RunResult::default()
    }
}

fn code_flow(trace: &[Step]) -> Option<CodeFlow> {
    let locations = trace.iter().map(|step| ThreadFlowLocation {
        location: Location {
            message: Some(Message::new(&step.note)),
            ..location(&step.place, None)
        },
    });
    let flow = ThreadFlow {
        locations: locations.collect(),
    };
    (!trace.is_empty()).then(|| CodeFlow {
        thread_flows: vec![flow],
    })
}

fn location(place: &Place, excerpt: Option<&str>) -> Location {
    let region = Region {
        start_line: Some(place.start_line.into()),
        start_column: Some(place.start_column.into()),
        end_line: Some(place.end_line.into()),
        end_column: Some(place.end_column.into()),
        snippet: excerpt.map(Message::new),
    };
    Location::new(&place.path, Some(region))
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
