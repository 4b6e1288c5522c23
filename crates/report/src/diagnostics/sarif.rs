//! Reads SARIF, the interchange format of static analysis, from any tool.

use baton_protocol::diagnostic::{
    Diagnostic, DiagnosticSeverity, Edit, Fix, TextPosition, TextRange,
};
use serde::Deserialize;

use super::output::Output;

#[derive(Deserialize)]
struct Log {
    runs: Vec<Run>,
    #[serde(rename = "version")]
    _version: String,
}

#[derive(Deserialize)]
struct Run {
    tool: Tool,
    #[serde(default)]
    results: Vec<Finding>,
}

#[derive(Deserialize)]
struct Tool {
    driver: Driver,
}

#[derive(Deserialize)]
struct Driver {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    rule_id: Option<String>,
    level: Option<String>,
    message: Message,
    #[serde(default)]
    locations: Vec<Location>,
    #[serde(default)]
    fixes: Vec<Offer>,
    #[serde(default)]
    suppressions: Vec<serde::de::IgnoredAny>,
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
    start_column: Option<u64>,
    end_line: Option<u64>,
    end_column: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Offer {
    description: Option<Message>,
    #[serde(default)]
    artifact_changes: Vec<ArtifactChange>,
}

#[derive(Deserialize)]
struct ArtifactChange {
    #[serde(default)]
    replacements: Vec<Replacement>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Region,
    inserted_content: Option<Message>,
}

pub(super) fn read(output: &Output) -> Vec<Diagnostic> {
    let Some(log) = output.json::<Log>() else {
        return Vec::new();
    };
    let from_run = |run: Run| {
        let tool = run.tool.driver.name.to_ascii_lowercase();
        let findings = run.results.into_iter();
        findings
            .filter(|finding| finding.suppressions.is_empty())
            .map(move |finding| from_finding(&tool, finding))
            .collect::<Vec<_>>()
    };
    log.runs.into_iter().flat_map(from_run).collect()
}

fn from_finding(tool: &str, finding: Finding) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(tool, finding.message.text.unwrap_or_default());
    diagnostic.rule = finding.rule_id;
    diagnostic.severity = match finding.level.as_deref() {
        Some("error") => DiagnosticSeverity::Error,
        Some("note" | "none") => DiagnosticSeverity::Note,
        _ => DiagnosticSeverity::Warning,
    };
    let place = finding.locations.into_iter().next();
    if let Some(place) = place.and_then(|location| location.physical_location) {
        let uri = place.artifact_location.and_then(|artifact| artifact.uri);
        diagnostic.file = uri.map(|uri| uri.trim_start_matches("file://").to_owned());
        diagnostic.range = place.region.as_ref().and_then(range);
    }
    diagnostic.fix = finding.fixes.into_iter().next().map(|offer| Fix {
        description: offer.description.and_then(|description| description.text),
        // SARIF does not record whether a fix is safe.
        is_automatic: false,
        edits: offer
            .artifact_changes
            .into_iter()
            .flat_map(|change| change.replacements)
            .filter_map(|replacement| {
                Some(Edit {
                    range: range(&replacement.deleted_region)?,
                    replacement: replacement
                        .inserted_content
                        .and_then(|content| content.text)
                        .unwrap_or_default(),
                })
            })
            .collect(),
    });
    diagnostic
}

fn range(region: &Region) -> Option<TextRange> {
    let start = TextPosition {
        line: region.start_line?,
        column: region.start_column,
    };
    let end = region.end_column.map(|column| TextPosition {
        line: region.end_line.unwrap_or(start.line),
        column: Some(column),
    });
    Some(TextRange { start, end })
}
