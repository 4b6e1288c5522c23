//! Reads SARIF, the interchange format of static analysis, from any tool.

use baton_protocol::diagnostic::{
    Diagnostic, DiagnosticSeverity, Edit, Fix, TextPosition, TextRange,
};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Tool;
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::documents::Document;
use crate::json;
use crate::session::Session;

pub(super) const TOOL: Tool = Tool {
    document: Some(Document::Json {
        has: |keys| keys.of_object(&["runs"]),
        read: document,
    }),
    diagnostics: &[DiagnosticsReader::standard(diagnostics)],
    ..Tool::NONE
};

#[derive(Deserialize)]
struct Log {
    runs: Vec<Run>,
    version: Option<String>,
}

#[derive(Deserialize)]
struct Run {
    tool: Option<Analyser>,
    results: Option<Vec<Finding>>,
    invocations: Option<Vec<Invocation>>,
}

#[derive(Deserialize)]
struct Analyser {
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
    #[serde(default)]
    fixes: Vec<Offer>,
    suppressions: Option<Vec<IgnoredAny>>,
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

fn document(text: &[u8]) -> Option<Session> {
    let log: Log = json::first_value(text)?;
    let mut tools = log.runs.iter().filter_map(|run| run.tool.as_ref());
    let framework = tools.next_back().map(|tool| framework(&tool.driver.name));
    let found = log.runs.into_iter().flat_map(|mut run| {
        let invocations = run.invocations.take().unwrap_or_default().into_iter();
        let notifications = invocations.flat_map(|invocation| {
            let notes = invocation.tool_execution_notifications.into_iter();
            let notes = notes.chain(invocation.tool_configuration_notifications);
            notes.filter(|note| note.level.as_deref() == Some("error"))
        });
        let notifications: Vec<_> = notifications.map(|note| from_finding("", note)).collect();
        results(run).chain(notifications)
    });
    let found = found.filter(|found| found.severity > DiagnosticSeverity::Note);
    Some(diagnostics::session(
        framework.unwrap_or("sarif"),
        found,
        "finding",
    ))
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

fn diagnostics(output: &Output) -> Vec<Diagnostic> {
    let log = output.json::<Log>().filter(|log| log.version.is_some());
    let runs = log.map(|log| log.runs).unwrap_or_default();
    runs.into_iter().flat_map(results).collect()
}

fn results(run: Run) -> impl Iterator<Item = Diagnostic> {
    let name = run.tool.map(|tool| tool.driver.name.to_ascii_lowercase());
    let findings = run.results.unwrap_or_default().into_iter();
    findings
        .filter(|finding| finding.suppressions.as_ref().is_none_or(Vec::is_empty))
        .map(move |finding| from_finding(name.as_deref().unwrap_or("sarif"), finding))
}

fn from_finding(tool: &str, finding: Finding) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(tool, finding.message.text.unwrap_or_default());
    let descriptor = finding.descriptor.and_then(|descriptor| descriptor.id);
    diagnostic.rule = finding.rule_id.or(descriptor);
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
    diagnostic.fix = finding.fixes.into_iter().next().map(fix);
    diagnostic
}

fn fix(offer: Offer) -> Fix {
    let changes = offer.artifact_changes.into_iter();
    let edits = changes
        .flat_map(|change| change.replacements)
        .filter_map(|replacement| {
            let content = replacement.inserted_content;
            Some(Edit {
                range: range(&replacement.deleted_region)?,
                replacement: content.and_then(|content| content.text).unwrap_or_default(),
            })
        });
    Fix {
        description: offer.description.and_then(|description| description.text),
        // SARIF does not record whether a fix is safe.
        is_automatic: false,
        edits: edits.collect(),
    }
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
