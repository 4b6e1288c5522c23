//! SARIF 2.1.0, the interchange format of static analysis: the parts of a log that are read, and
//! those that are written.
//!
//! What only we write is not read from the logs of others, so that an unusual one is no problem.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
pub const VERSION: &str = "2.1.0";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Log {
    #[serde(rename = "$schema", skip_deserializing)]
    pub schema: &'static str,
    pub version: String,
    #[serde(default)]
    pub runs: Vec<Run>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    pub tool: Tool,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub column_kind: Option<&'static str>,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub invocations: Vec<Invocation>,
    /// Absent when the tool did not look for any.
    #[serde(default)]
    pub results: Option<Vec<RunResult>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tool {
    pub driver: Component,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<Component>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Component {
    pub name: String,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_description: Option<Message>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub full_description: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_configuration: Option<Configuration>,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub properties: Value,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Configuration {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Invocation {
    pub execution_successful: bool,
    pub tool_execution_notifications: Vec<Notification>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Notification {
    pub level: &'static str,
    pub message: Message,
}

/// SARIF's `result`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleReference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_index: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    pub message: Message,
    #[serde(default)]
    pub locations: Vec<Location>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppressions: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_state: Option<String>,
    #[serde(skip_deserializing, skip_serializing_if = "Map::is_empty")]
    pub partial_fingerprints: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub properties: Value,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub code_flows: Vec<CodeFlow>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RuleReference {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<i64>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_location: Option<PhysicalLocation>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhysicalLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact_location: Option<ArtifactLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ArtifactLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_column: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<Message>,
}

#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeFlow {
    pub thread_flows: Vec<ThreadFlow>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct ThreadFlow {
    pub locations: Vec<ThreadFlowLocation>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct ThreadFlowLocation {
    pub location: Location,
}

impl Log {
    pub fn new(runs: Vec<Run>) -> Self {
        Self {
            schema: SCHEMA,
            version: VERSION.to_owned(),
            runs,
        }
    }

    /// The text of a log file.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a log has only text as keys");
        text.push('\n');
        text
    }
}

impl Message {
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            markdown: None,
        }
    }
}

impl Location {
    /// A place in the file at `path`, which becomes a reference: what a URI cannot hold is escaped.
    pub fn new(path: &str, region: Option<Region>) -> Self {
        Self {
            physical_location: Some(PhysicalLocation {
                artifact_location: Some(ArtifactLocation {
                    uri: Some(reference(path)),
                }),
                region,
            }),
            message: None,
        }
    }
}

fn reference(path: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_reference() {
        assert_eq!(reference("src/a b/ü#.rs"), "src/a%20b/%C3%BC%23.rs");
    }

    #[test]
    fn what_only_we_write_is_not_read() {
        let text = r#"{"$schema": 7, "version": "2.1.0", "runs": [{
            "tool": {"driver": {"name": "x", "version": 3}},
            "invocations": "none", "results": [{"message": {}, "codeFlows": 1}]
        }]}"#;
        let log: Log = serde_json::from_str(text).unwrap();
        insta::assert_snapshot!(Log::new(log.runs).to_text(), @r#"
        {
          "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
          "version": "2.1.0",
          "runs": [
            {
              "tool": {
                "driver": {
                  "name": "x"
                }
              },
              "results": [
                {
                  "message": {},
                  "locations": []
                }
              ]
            }
          ]
        }
        "#);
    }
}
