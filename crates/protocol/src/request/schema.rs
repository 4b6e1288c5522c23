//! JSON Schemas of requests.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use super::field::Presence;
use super::reader::UnknownKeys;

/// One field in a schema.
pub(crate) struct Property {
    name: &'static str,
    schema: Schema,
    is_required: bool,
}

/// The text of doc comments, which begin with a space.
pub(crate) fn describe(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines
        .iter()
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    lines.join("\n")
}

pub(crate) fn property<T, S>(
    name: &'static str,
    doc: &[&str],
    presence: Presence<T, S>,
    generator: &mut SchemaGenerator,
) -> Property {
    Property {
        name,
        is_required: presence.is_required,
        schema: presence.schema(generator, describe(doc)),
    }
}

pub(crate) fn object(about: &[&str], unknown: UnknownKeys, properties: Vec<Property>) -> Schema {
    let mut schema = json_schema!({ "type": "object" });
    if unknown == UnknownKeys::Refused {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    let required = properties.iter().filter(|property| property.is_required);
    let required: Vec<Value> = required.map(|property| property.name.into()).collect();
    let properties: Map<String, Value> = properties
        .into_iter()
        .map(|property| (property.name.to_owned(), property.schema.to_value()))
        .collect();
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    if !about.is_empty() {
        schema.insert("description".to_owned(), describe(about).into());
    }
    schema
}
