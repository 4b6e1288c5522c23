//! JSON Schema to TypeScript, as far as our own schemas go.

use std::fmt::Write as _;

use serde_json::{Map, Value};

pub(super) fn render(schema: &Value) -> String {
    let mut text = String::new();
    let root = schema["title"].as_str().unwrap_or("Root");
    declare(&mut text, root, schema);
    if let Some(definitions) = schema["definitions"].as_object() {
        for (name, definition) in definitions {
            text.push('\n');
            declare(&mut text, name, definition);
        }
    }
    text
}

fn declare(text: &mut String, name: &str, schema: &Value) {
    comment(text, "", schema);
    if let Some(properties) = schema["properties"].as_object() {
        writeln!(text, "export interface {name} {{").expect("a string takes all text");
        members(text, "  ", schema, properties);
        text.push_str("}\n");
    } else {
        writeln!(text, "export type {name} = {};", type_of(schema))
            .expect("a string takes all text");
    }
}

fn members(text: &mut String, indent: &str, schema: &Value, properties: &Map<String, Value>) {
    for (key, property) in properties {
        comment(text, indent, property);
        let optional = if is_required(schema, key) { "" } else { "?" };
        writeln!(
            text,
            "{indent}{}{optional}: {};",
            property_name(key),
            type_of(property)
        )
        .expect("a string takes all text");
    }
}

pub(super) fn is_required(schema: &Value, key: &str) -> bool {
    schema["required"]
        .as_array()
        .is_some_and(|names| names.iter().any(|name| name == key))
}

fn comment(text: &mut String, indent: &str, schema: &Value) {
    if let Some(description) = schema["description"].as_str() {
        let line = description.replace("*/", "* /").replace('\n', " ");
        writeln!(text, "{indent}/** {line} */").expect("a string takes all text");
    }
}

fn property_name(key: &str) -> String {
    let plain = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !key.starts_with(|c: char| c.is_ascii_digit());
    if plain {
        key.to_owned()
    } else {
        format!("{key:?}")
    }
}

fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return definition_name(reference).to_owned();
    }
    if let Some(constant) = schema.get("const") {
        return constant.to_string();
    }
    if let Some(words) = schema["enum"].as_array() {
        return alternatives(words.iter().map(ToString::to_string));
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[key].as_array() {
            return alternatives(choices.iter().map(type_of));
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        return parts.iter().map(type_of).collect::<Vec<_>>().join(" & ");
    }
    match &schema["type"] {
        Value::String(name) => plain_type(name, schema),
        Value::Array(names) => alternatives(
            names
                .iter()
                .filter_map(Value::as_str)
                .map(|name| plain_type(name, schema)),
        ),
        _ => "unknown".to_owned(),
    }
}

pub(super) fn definition_name(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or(reference)
}

fn alternatives(types: impl Iterator<Item = String>) -> String {
    types.collect::<Vec<_>>().join(" | ")
}

fn plain_type(name: &str, schema: &Value) -> String {
    match name {
        "string" | "boolean" | "null" => name.to_owned(),
        "integer" | "number" => "number".to_owned(),
        "array" => format!("Array<{}>", type_of(&schema["items"])),
        "object" => {
            let values = match schema.get("additionalProperties") {
                Some(values @ Value::Object(_)) => type_of(values),
                _ => "unknown".to_owned(),
            };
            format!("Record<string, {values}>")
        }
        _ => "unknown".to_owned(),
    }
}
