//! The schemas of a description, made fit for JSON Schema and compiled when they
//! are first needed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::error::{ValidationError, ValidationErrorKind};
use jsonschema::{Draft, Registry, RegistryBuilder, Validator};
use serde_json::{Value, json};

use crate::github::problem::Findings;

/// The description's own name, so that a schema taken out of it still finds the components.
const BASE: &str = "github:///description";

/// Only the most telling problems of a value are shown; one wrong list makes hundreds.
const SHOWN: usize = 20;

/// Enough to recognise a value by.
const SHOWN_CHARACTERS: usize = 60;

pub(super) struct Schemas {
    description: Value,
    registry: Registry<'static>,
    compiled: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Schemas {
    pub(super) fn new(mut description: Value) -> Result<Self, String> {
        as_json_schema(&mut description);
        let registry = Registry::new()
            .draft(Draft::Draft4)
            .add(BASE, Draft::Draft4.create_resource(description.clone()))
            .and_then(RegistryBuilder::prepare)
            .map_err(|error| error.to_string())?;
        Ok(Self {
            description,
            registry,
            compiled: Mutex::default(),
        })
    }

    pub(super) fn description(&self) -> &Value {
        &self.description
    }

    /// The value itself, or what it refers to.
    pub(super) fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        let target = value
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| reference.strip_prefix(BASE)?.strip_prefix('#'))
            .and_then(|pointer| self.description.pointer(pointer));
        target.map_or(value, |target| self.resolve(target))
    }

    /// Holds `value` to `schema`, a part of this description.
    pub(super) fn check(&self, schema: &Value, value: &Value, findings: &mut Findings<'_>) {
        let validator = match self.validator(schema) {
            Ok(validator) => validator,
            Err(error) => {
                findings.add("", format!("GitHub's schema cannot be used: {error}"));
                return;
            }
        };
        for error in validator.iter_errors(value).take(SHOWN) {
            explain(&error, findings);
        }
    }

    fn validator(&self, schema: &Value) -> Result<Arc<Validator>, String> {
        let key = schema.to_string();
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(validator) = compiled.get(&key) {
            return Ok(Arc::clone(validator));
        }
        let validator = jsonschema::options()
            .with_draft(Draft::Draft4)
            .with_registry(&self.registry)
            .should_validate_formats(true)
            .build(schema)
            .map_err(|error| error.to_string())?;
        let validator = Arc::new(validator);
        compiled.insert(key, Arc::clone(&validator));
        Ok(validator)
    }
}

impl std::fmt::Debug for Schemas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Schemas").finish_non_exhaustive()
    }
}

/// A component by its name.
pub(super) fn component(name: &str) -> Value {
    json!({ "$ref": format!("{BASE}#/components/schemas/{name}") })
}

/// `OpenAPI` 3.0 is an older dialect with `nullable` in place of a null type. References
/// become absolute, because schemas are compiled one by one.
fn as_json_schema(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get_mut("$ref")
                && reference.starts_with('#')
            {
                reference.insert_str(0, BASE);
            }
            map.values_mut().for_each(as_json_schema);
            // GitHub lists alternatives that overlap, so "exactly one" is never meant.
            if map.get("oneOf").is_some_and(Value::is_array)
                && !map.contains_key("anyOf")
                && let Some(alternatives) = map.remove("oneOf")
            {
                map.insert("anyOf".to_owned(), alternatives);
            }
            if map.remove("nullable") == Some(Value::Bool(true)) {
                allow_null(value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(as_json_schema),
        _ => {}
    }
}

fn allow_null(schema: &mut Value) {
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    let composed = ["allOf", "anyOf", "oneOf"]
        .iter()
        .any(|key| schema.get(key).is_some());
    if composed {
        *schema = json!({ "anyOf": [schema.take(), { "type": "null" }] });
    } else if let Some(kind @ Value::String(_)) = schema.get_mut("type") {
        // Without a type, anything goes already.
        *kind = json!([kind.take(), "null"]);
    }
}

/// Says what is wrong where it is wrong: of several alternatives, in the one that was meant.
fn explain(error: &ValidationError<'_>, findings: &mut Findings<'_>) {
    let alternatives = match error.kind() {
        ValidationErrorKind::AnyOf { context } => context.as_slice(),
        _ => &[],
    };
    let meant = alternatives
        .iter()
        .min_by_key(|errors| (is_other_kind(error, errors), errors.len()));
    match meant {
        Some(errors) if !errors.is_empty() => {
            for error in errors {
                explain(error, findings);
            }
        }
        _ => {
            let value = shortened(error.instance());
            let message = error.masked_with(value).to_string();
            findings.add(error.instance_path().to_string(), message);
        }
    }
}

/// An alternative for values of another type altogether, such as null.
fn is_other_kind(whole: &ValidationError<'_>, errors: &[ValidationError<'_>]) -> bool {
    errors.iter().any(|error| {
        matches!(error.kind(), ValidationErrorKind::Type { .. })
            && error.instance_path() == whole.instance_path()
    })
}

fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
