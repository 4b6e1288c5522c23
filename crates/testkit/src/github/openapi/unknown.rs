//! Fields that a schema does not know. JSON Schema lets them pass, and so a
//! misspelt optional field would go unnoticed.

use serde_json::Value;

use super::schemas::Schemas;
use crate::github::problem::{Findings, join};

/// Reports the fields of `value` that no part of `schema` mentions.
pub(super) fn check(schemas: &Schemas, schema: &Value, value: &Value, findings: &mut Findings<'_>) {
    walk(schemas, &[schema], value, "", findings);
}

fn walk(
    schemas: &Schemas,
    alternatives: &[&Value],
    value: &Value,
    pointer: &str,
    findings: &mut Findings<'_>,
) {
    let mut parts = Vec::new();
    for schema in alternatives {
        flatten(schemas, schema, &mut parts);
    }
    match value {
        Value::Object(map) => {
            let open = parts.iter().all(|part| is_open(part));
            for (name, value) in map {
                let known: Vec<_> = parts
                    .iter()
                    .filter_map(|part| part["properties"].get(name))
                    .chain(parts.iter().filter_map(|part| {
                        part.get("additionalProperties")
                            .filter(|schema| schema.is_object())
                    }))
                    .collect();
                let below = join(pointer, name);
                if !known.is_empty() {
                    walk(schemas, &known, value, &below, findings);
                } else if !open && !parts.iter().any(|part| allows_more(part)) {
                    findings.add(below, "GitHub knows no such field");
                }
            }
        }
        Value::Array(items) => {
            let of_items: Vec<_> = parts.iter().filter_map(|part| part.get("items")).collect();
            for (index, item) in items.iter().enumerate() {
                walk(
                    schemas,
                    &of_items,
                    item,
                    &join(pointer, &index.to_string()),
                    findings,
                );
            }
        }
        _ => {}
    }
}

/// The schema and everything that it is composed of.
fn flatten<'a>(schemas: &'a Schemas, schema: &'a Value, parts: &mut Vec<&'a Value>) {
    let schema = schemas.resolve(schema);
    if parts.iter().any(|part| std::ptr::eq(*part, schema)) {
        return;
    }
    parts.push(schema);
    for key in ["allOf", "anyOf", "oneOf"] {
        for part in schema[key].as_array().into_iter().flatten() {
            flatten(schemas, part, parts);
        }
    }
}

/// It names no fields at all, so every field is fine.
fn is_open(schema: &Value) -> bool {
    schema.get("properties").is_none()
}

fn allows_more(schema: &Value) -> bool {
    schema.get("additionalProperties") == Some(&Value::Bool(true))
}
