//! Reads SARIF, the interchange format of static analysis.

use serde::Deserialize;

use super::trace;
use crate::session::{Failure, Session};

#[derive(Deserialize)]
struct Log {
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    tool: Option<Tool>,
    results: Option<Vec<Finding>>,
    invocations: Option<Vec<Invocation>>,
}

#[derive(Deserialize)]
struct Tool {
    driver: Driver,
}

#[derive(Deserialize)]
struct Driver {
    name: String,
}

/// A problem of the tool itself, such as a file that it could not parse.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    #[serde(default)]
    tool_execution_notifications: Vec<Finding>,
    #[serde(default)]
    tool_configuration_notifications: Vec<Finding>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    rule_id: Option<String>,
    /// Only in a notification, which has no rule.
    descriptor: Option<Descriptor>,
    /// `error`, `warning` (the default), `note` or `none`.
    level: Option<String>,
    message: Message,
    #[serde(default)]
    locations: Vec<Location>,
    suppressions: Option<Vec<serde::de::IgnoredAny>>,
}

#[derive(Deserialize)]
struct Descriptor {
    id: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Option<PhysicalLocation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Option<Artifact>,
    region: Option<Region>,
}

#[derive(Deserialize)]
struct Artifact {
    uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: Option<u64>,
}

pub(super) fn read(text: &[u8]) -> Option<Session> {
    let log: Log = super::first_value(text)?;
    let mut session = Session::for_diagnostics("sarif", 1);
    for run in log.runs {
        if let Some(tool) = run.tool {
            session.framework = framework(&tool.driver.name);
        }
        let found = run.results.into_iter().flatten();
        let notifications = run.invocations.into_iter().flatten().flat_map(|run| {
            let notes = run.tool_execution_notifications.into_iter();
            let notes = notes.chain(run.tool_configuration_notifications);
            notes.filter(|note| note.level.as_deref() == Some("error"))
        });
        for finding in found.chain(notifications) {
            add(&mut session, finding);
        }
    }
    Some(session)
}

fn add(session: &mut Session, finding: Finding) {
    let level = finding.level.as_deref().unwrap_or("warning");
    let is_suppressed = finding.suppressions.as_ref().is_some_and(|s| !s.is_empty());
    if is_suppressed || matches!(level, "note" | "none") {
        return;
    }
    session.broke |= level == "error";
    session.add(failure(finding));
}

/// The names that baton uses for these tools elsewhere.
fn framework(tool: &str) -> &'static str {
    const KNOWN: [&str; 9] = [
        "eslint",
        "golangci-lint",
        "ruff",
        "flake8",
        "clippy",
        "rubocop",
        "semgrep",
        "codeql",
        "trivy",
    ];
    let tool = tool.to_ascii_lowercase();
    let known = |name: &&str| tool.contains(*name);
    KNOWN.into_iter().find(known).unwrap_or("sarif")
}

fn failure(finding: Finding) -> Failure {
    let descriptor = finding.descriptor.and_then(|descriptor| descriptor.id);
    let rule = finding.rule_id.or(descriptor);
    let rule = rule.unwrap_or_else(|| "finding".to_owned());
    let message = finding.message.text.unwrap_or_default();
    let mut failure = Failure::named(rule).because(trace::error(&message, ""));
    let place = finding.locations.into_iter().next();
    if let Some(place) = place.and_then(|location| location.physical_location) {
        let uri = place.artifact_location.and_then(|artifact| artifact.uri);
        failure.file = uri.map(|uri| uri.trim_start_matches("file://").to_owned());
        failure.line = place.region.and_then(|region| region.start_line);
    }
    failure
}
