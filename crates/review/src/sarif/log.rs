//! The parts of a SARIF log that are read.

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
pub(super) struct Log {
    pub(super) version: String,
    #[serde(default)]
    pub(super) runs: Vec<Run>,
}

#[derive(Deserialize)]
pub(super) struct Run {
    pub(super) tool: Tool,
    #[serde(default)]
    pub(super) results: Option<Vec<SarifResult>>,
}

#[derive(Deserialize)]
pub(super) struct Tool {
    pub(super) driver: Component,
    #[serde(default)]
    pub(super) extensions: Vec<Component>,
}

#[derive(Deserialize)]
pub(super) struct Component {
    pub(super) name: String,
    #[serde(default)]
    pub(super) rules: Vec<SarifRule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRule {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) short_description: Option<Message>,
    pub(super) default_configuration: Option<Configuration>,
    pub(super) help: Option<Message>,
    #[serde(default)]
    pub(super) properties: Value,
}

#[derive(Deserialize)]
pub(super) struct Configuration {
    pub(super) level: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Message {
    pub(super) text: Option<String>,
    pub(super) markdown: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult {
    pub(super) rule_id: Option<String>,
    pub(super) rule: Option<RuleReference>,
    pub(super) rule_index: Option<i64>,
    pub(super) level: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) message: Message,
    #[serde(default)]
    pub(super) locations: Vec<Location>,
    #[serde(default)]
    pub(super) suppressions: Option<Vec<Value>>,
    pub(super) baseline_state: Option<String>,
    #[serde(default)]
    pub(super) properties: Value,
}

#[derive(Deserialize)]
pub(super) struct RuleReference {
    pub(super) id: Option<String>,
    pub(super) index: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    pub(super) physical_location: Option<PhysicalLocation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: Option<ArtifactLocation>,
    pub(super) region: Option<Region>,
}

#[derive(Deserialize)]
pub(super) struct ArtifactLocation {
    pub(super) uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: Option<u32>,
    pub(super) start_column: Option<u32>,
    pub(super) end_line: Option<u32>,
    pub(super) end_column: Option<u32>,
    pub(super) snippet: Option<Message>,
}
