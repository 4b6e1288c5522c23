//! The JSON Schema (draft 07) of the JSON form, made from the same
//! descriptions as the readers.

use serde_json::{Map, Value, json};

use crate::handoff::document::{COMPLETION, describe};
use crate::handoff::edges::{HandoffKind, RECEIVER_PLACEHOLDER, SENDER_PLACEHOLDER};
use crate::handoff::leaf::Form;
use crate::handoff::shape::{Content, Description};
use crate::handoff::vocabulary::{Agent, Vocabulary};

/// The schema of a handoff of any kind. It knows what each kind requires; what
/// must hold between fields only the reader checks.
pub fn json_schema() -> Value {
    let kinds: Vec<Value> = HandoffKind::ALL
        .iter()
        .map(|kind| kind_schema(*kind))
        .collect();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Handoff",
        "oneOf": kinds,
        "definitions": {
            "element": {
                "description": "An element that the protocol does not know here. The names of the protocol keep their meaning in it.",
                "type": "object",
                "properties": {
                    "name": { "type": "string" },
                    "attributes": {
                        "type": "object",
                        "additionalProperties": { "type": "string" },
                    },
                    "text": { "type": "string" },
                    "children": {
                        "type": "array",
                        "items": {
                            "anyOf": [{ "type": "string" }, { "$ref": "#/definitions/element" }],
                        },
                    },
                },
                "required": ["name"],
                "not": { "required": ["text", "children"] },
                "additionalProperties": false,
            },
        },
    })
}

fn kind_schema(kind: HandoffKind) -> Value {
    let mut schema = object(&describe(kind));
    let senders: Vec<&str> = match (kind, kind.sender()) {
        (_, Some(agent)) => vec![agent.word()],
        (HandoffKind::Envelope, None) => vec![SENDER_PLACEHOLDER],
        (_, None) => {
            let agents = Agent::ALL
                .iter()
                .filter(|agent| **agent != Agent::Orchestrator);
            agents.map(|agent| agent.word()).collect()
        }
    };
    let receiver = match (kind, kind.receiver()) {
        (_, Some(agent)) => agent.word(),
        (HandoffKind::WorkflowComplete, None) => COMPLETION,
        (_, None) => RECEIVER_PLACEHOLDER,
    };
    schema["title"] = kind.word().into();
    schema["properties"]["from"] = json!({ "enum": senders });
    schema["properties"]["to"] = json!({ "const": receiver });
    if let Some(required) = schema["required"].as_array_mut() {
        required.splice(0..0, ["from".into(), "to".into()]);
    }
    schema
}

fn object(description: &Description) -> Value {
    if let [field] = description.fields.as_slice()
        && field.name.is_empty()
        && let Content::Text(text) = field.content
    {
        return leaf(text.form, Blank::Accepted);
    }
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in &description.fields {
        let schema = match &field.content {
            Content::Value(value) if field.required => leaf(value.form, Blank::Refused),
            Content::Value(value) | Content::Attribute(value) | Content::Text(value) => {
                leaf(value.form, Blank::Accepted)
            }
            Content::Record(inner) => object(inner),
            Content::List { of, .. } => json!({ "type": "array", "items": object(of) }),
        };
        properties.insert(field.name.to_owned(), schema);
        if field.required {
            required.push(field.name);
        }
    }
    if description.open {
        properties.insert(
            "other".to_owned(),
            json!({ "type": "array", "items": { "$ref": "#/definitions/element" } }),
        );
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Blank {
    Accepted,
    Refused,
}

fn leaf(form: Form, blank: Blank) -> Value {
    match form {
        Form::Text if blank == Blank::Accepted => json!({ "type": "string" }),
        Form::Text => json!({ "type": "string", "pattern": r"[^ \t\r\n]" }),
        Form::Line => {
            json!({ "type": "string", "pattern": r"^[^ \t\r\n]([^\t\r\n]*[^ \t\r\n])?$" })
        }
        Form::Whole { least, most } if most == u64::MAX => {
            json!({ "type": "integer", "minimum": least })
        }
        Form::Whole { least, most } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Form::Flag => json!({ "type": "boolean" }),
        Form::Words(words) => {
            let any = words.join("|");
            json!({
                "description": "One word; a template may list several with `|` between them.",
                "type": "string",
                "pattern": format!(r"^({any})( *\| *({any}))*$"),
            })
        }
        Form::Pattern { pattern, expected } => {
            json!({ "description": expected, "type": "string", "pattern": format!("^({pattern})$") })
        }
    }
}
