//! Tools as clients see them, with schemas that all clients accept.
//!
//! Neither names a dialect: everything used means the same in draft 07 and in
//! 2020-12, and clients know one or the other.

use std::sync::Arc;

use baton_ops::Meta;
use baton_protocol::schema::{self, Entry};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use super::tool_def::ToolDef;

pub(super) fn tool(def: &ToolDef) -> Tool {
    let meta = &def.operation.meta;
    let effects = meta.effects;
    let annotations = ToolAnnotations::new()
        .read_only(effects.read_only)
        .destructive(effects.destructive)
        .idempotent(effects.idempotent)
        .open_world(effects.open_world);
    Tool::new(meta.name, meta.description, input(meta))
        .with_title(meta.title)
        .with_raw_output_schema(output(meta))
        .with_annotations(annotations)
}

/// Models see this one, and some of their APIs follow no references and take no
/// alternatives at the root.
fn input(meta: &Meta) -> Arc<JsonObject> {
    let mut schema = without_heading(ToolDef::entry(meta.input));
    let Some(definitions) = schema.remove("definitions") else {
        return Arc::new(schema);
    };
    let mut schema = Value::Object(schema);
    inline(&mut schema, &definitions);
    Arc::new(into_object(schema))
}

/// Every client has to load this one, few show it to their model, and some check
/// even errors against it. So it only says where all of it is.
fn output(meta: &Meta) -> Arc<JsonObject> {
    let full = format!("In full: baton://schema/{}", meta.output);
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("description".to_owned(), full.into());
    Arc::new(schema)
}

fn without_heading(entry: &Entry) -> JsonObject {
    let mut schema: JsonObject =
        serde_json::from_str(entry.written()).expect("schemas are written from the types");
    schema.remove("$schema");
    schema.remove("title");
    schema
}

fn into_object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(object) => object,
        other => unreachable!("the contract's types are objects, not {other}"),
    }
}

/// Replaces references by their definitions. A field's own description stays.
fn inline(schema: &mut Value, definitions: &Value) {
    match schema {
        Value::Object(object) => {
            for (key, value) in referred(object, definitions) {
                object.entry(key).or_insert(value);
            }
            object
                .values_mut()
                .for_each(|value| inline(value, definitions));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| inline(item, definitions)),
        _ => {}
    }
}

/// The definition that an object refers to. Its reference is removed: `$ref`, or
/// the only one of `allOf`, which is how references with a description are
/// written.
fn referred(object: &mut JsonObject, definitions: &Value) -> JsonObject {
    let reference = match object.get("allOf").and_then(Value::as_array) {
        Some(parts) => match &parts[..] {
            [only] => only.get("$ref").cloned(),
            _ => None,
        },
        None => object.get("$ref").cloned(),
    };
    let name = reference.as_ref().and_then(Value::as_str);
    let Some(name) = name.and_then(|path| path.strip_prefix("#/definitions/")) else {
        return JsonObject::new();
    };
    let definition = definitions.get(name).and_then(Value::as_object).cloned();
    object.remove("allOf");
    object.remove("$ref");
    definition.unwrap_or_default()
}

/// Every name in the catalogue.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    schema::entries().map(|entry| entry.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_plain_objects_and_outputs_allow_for_errors() {
        let mut keywords = std::collections::BTreeSet::new();
        for entry in schema::entries() {
            let Some(name) = entry.name.strip_suffix(".input") else {
                continue;
            };
            let mut schema = without_heading(entry);
            let definitions = schema.remove("definitions").unwrap_or_default();
            let mut schema = Value::Object(schema);
            inline(&mut schema, &definitions);
            assert_eq!(schema["type"], "object", "{name}");
            collect_keywords(&schema, &mut keywords);
        }
        let keywords: Vec<_> = keywords.into_iter().collect();
        insta::assert_snapshot!(
            keywords.join(" "),
            @"additionalProperties default description enum items maxLength maximum minLength minimum pattern properties required type"
        );
    }

    fn collect_keywords(schema: &Value, found: &mut std::collections::BTreeSet<String>) {
        let Value::Object(object) = schema else {
            return;
        };
        for (key, value) in object {
            found.insert(key.clone());
            if key == "properties" {
                let fields = value.as_object().into_iter().flatten();
                fields.for_each(|(_, field)| collect_keywords(field, found));
            } else {
                collect_keywords(value, found);
            }
        }
    }
}
