//! Types for integrators: a JSON Schema (draft 07) of every input and output,
//! generated from the Rust types, and from it TypeScript and Pydantic.

mod named_parts;
mod pydantic;
mod typescript;

use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Value;

use crate::phase::{pr, pr_details, testing, testing_details, validation, validation_details};
use crate::tools;

/// A type of the contract that `baton schema` prints.
pub struct Entry {
    pub name: &'static str,
    pub(crate) generate: fn() -> Schema,
    /// What was generated when `schemas/` was written; a test compares.
    pub(crate) written: &'static str,
    pub(crate) round_trip: fn(&Value) -> Result<Value, String>,
}

impl Entry {
    /// The JSON Schema, draft 07.
    pub fn json_schema(&self) -> Value {
        (self.generate)().to_value()
    }

    /// The same as text, which costs nothing: a server that has just been started
    /// reads all schemas before it can answer.
    pub fn written(&self) -> &'static str {
        self.written
    }

    /// Reads a document as this type and writes it again, or says what is wrong
    /// with it.
    pub fn round_trip(&self, document: &Value) -> Result<Value, String> {
        (self.round_trip)(document)
    }

    /// The same as TypeScript interfaces.
    pub fn typescript(&self) -> String {
        typescript::render(&named_parts::named(self.json_schema()))
    }

    /// The same as Pydantic models.
    pub fn pydantic(&self) -> String {
        pydantic::render(&named_parts::named(self.json_schema()))
    }
}

/// A type of the contract with its name. Inputs are requests; everything else is
/// what baton writes.
macro_rules! entry {
    (input $name:literal: $type:ty) => {
        $crate::schema::entry!($name, $type, Deserialize, |document| {
            let read = <$type as $crate::Request>::read(document);
            $crate::schema::written_again(read.map_err(|problems| problems.to_string())?)
        })
    };
    (output $name:literal: $type:ty) => {
        $crate::schema::entry!($name, $type, Serialize, |document| {
            let read: Result<$type, _> = serde::Deserialize::deserialize(document);
            $crate::schema::written_again(read.map_err(|error| error.to_string())?)
        })
    };
    ($name:literal, $type:ty, $side:ident, $round_trip:expr) => {
        $crate::schema::Entry {
            name: $name,
            generate: || $crate::schema::generate::<$type>(schemars::generate::Contract::$side),
            written: include_str!(concat!("../../../../schemas/", $name, ".json")),
            round_trip: $round_trip,
        }
    };
}

pub(crate) use entry;

/// What a type writes after it was read.
pub(crate) fn written_again(read: impl Serialize) -> Result<Value, String> {
    serde_json::to_value(read).map_err(|error| error.to_string())
}

/// The types of the phases, in the order in which they are listed.
static PHASES: &[Entry] = &[
    entry!(input "testing.input": testing::TestingInput),
    entry!(output "testing.output": testing::TestingOutput),
    entry!(output "testing.details": testing_details::TestingDetails),
    entry!(output "pr.details": pr_details::PrDetails),
    entry!(input "validation.input": validation::ValidationInput),
    entry!(output "validation.output": validation::ValidationOutput),
    entry!(output "validation.details": validation_details::ValidationDetails),
    entry!(input "pr.input": pr::PrInput),
    entry!(output "pr.output": pr::PrOutput),
];

/// The contract, in the order in which it is listed.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    PHASES.iter().chain(tools::ENTRIES)
}

/// The entry of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    entries().find(|entry| entry.name == name)
}

/// The listed name that a misspelt one most likely meant.
pub fn suggest(name: &str) -> Option<&'static str> {
    let names: Vec<_> = entries().map(|entry| entry.name).collect();
    crate::request::nearest(name, &names)
}

pub(crate) fn generate<T: JsonSchema>(contract: Contract) -> Schema {
    let mut settings = SchemaSettings::draft07();
    settings.contract = contract;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    Plain.transform(&mut schema);
    schema
}

/// Takes the key out of `required`.
pub(crate) fn not_required(schema: &mut Schema, key: &str) {
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name != key);
    }
}

/// Brings generated schemas to the form of the contract: a key that may be
/// left out is never null (unless its field is marked `x-nullable`, which may also
/// say that a required one is not), and Rust's number formats say nothing to other programs.
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        let required: Vec<Value> = match schema.get("required") {
            Some(Value::Array(names)) => names.clone(),
            _ => Vec::new(),
        };
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            for (name, property) in properties {
                let Value::Object(property) = property else {
                    continue;
                };
                let is_required = required.iter().any(|r| r == name.as_str());
                let is_nullable = property.remove("x-nullable");
                if !is_nullable.map_or(is_required, |marked| marked == true) {
                    without_null(property);
                }
            }
        }
        if let Some(Value::String(format)) = schema.get("format")
            && (format.starts_with("uint") || format.starts_with("int") || format == "double")
        {
            schema.remove("format");
        }
        transform_subschemas(self, schema);
    }
}

type Object = serde_json::Map<String, Value>;

fn without_null(property: &mut Object) {
    if property.get("default").is_some_and(Value::is_null) {
        property.remove("default");
    }
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            property.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = property.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(choices)) = property.get_mut("anyOf") else {
        return;
    };
    choices.retain(|choice| choice.get("type").is_none_or(|t| t != "null"));
    if let [Value::Object(only)] = &choices[..] {
        let only = only.clone();
        property.remove("anyOf");
        property.extend(only);
    }
}
