//! SARIF, the interchange format of static analysis.

use serde::Deserialize;

use super::trace;
use crate::session::{Failure, Session};

#[derive(Deserialize)]
struct Log {
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    #[serde(default)]
    results: Option<Vec<Finding>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    rule_id: Option<String>,
    /// `error`, `warning` (the default), `note` or `none`.
    level: Option<String>,
    message: Message,
    #[serde(default)]
    locations: Vec<Location>,
    suppressions: Option<Vec<serde::de::IgnoredAny>>,
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
    let mut session = Session::of_diagnostics("sarif", 1);
    for finding in log.runs.into_iter().filter_map(|run| run.results).flatten() {
        let level = finding.level.as_deref().unwrap_or("warning");
        let is_suppressed = finding.suppressions.as_ref().is_some_and(|s| !s.is_empty());
        if is_suppressed || matches!(level, "note" | "none") {
            continue;
        }
        session.broke |= level == "error";
        session.add(failure(finding));
    }
    Some(session)
}

fn failure(finding: Finding) -> Failure {
    let rule = finding.rule_id.unwrap_or_else(|| "finding".to_owned());
    let message = finding.message.text.unwrap_or_default();
    let mut failure = Failure::named(rule).because(trace::error(&message, ""));
    let place = finding.locations.into_iter().next();
    if let Some(place) = place.and_then(|location| location.physical_location) {
        failure.file = place.artifact_location.and_then(|artifact| artifact.uri);
        failure.line = place.region.and_then(|region| region.start_line);
    }
    failure
}
