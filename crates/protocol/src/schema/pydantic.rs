//! JSON Schema to Pydantic (version 2), as far as our own schemas go.

use std::fmt::Write as _;

use serde_json::Value;

use super::typescript::{definition_name, is_required};

pub(super) fn render(schema: &Value) -> String {
    let mut text = String::from(
        "from __future__ import annotations\n\n\
         from typing import Annotated, Any, Dict, List, Literal, Optional, Union\n\n\
         from pydantic import BaseModel, ConfigDict, Field\n",
    );
    let root = schema["title"].as_str().unwrap_or("Root");
    let definitions = schema["definitions"].as_object().into_iter().flatten();
    let mut all: Vec<(&str, &Value)> = definitions.map(|(n, d)| (n.as_str(), d)).collect();
    all.push((root, schema));
    // An alias is evaluated where it stands, so the models it names come first;
    // models name each other in annotations, which wait for `model_rebuild`.
    let (models, aliases): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|(_, schema)| schema["properties"].is_object());
    for (name, schema) in models.iter().chain(&aliases) {
        declare(&mut text, name, schema);
    }
    text.push_str("\n\n");
    for (name, _) in models {
        writeln!(text, "{name}.model_rebuild()").expect("a string takes all text");
    }
    text
}

fn declare(text: &mut String, name: &str, schema: &Value) {
    let Some(properties) = schema["properties"].as_object() else {
        write!(text, "\n\n{name} = {}\n", type_of(schema)).expect("a string takes all text");
        return;
    };
    write!(text, "\n\nclass {name}(BaseModel):\n").expect("a string takes all text");
    if let Some(description) = schema["description"].as_str() {
        writeln!(text, "    {}\n", docstring(description)).expect("a string takes all text");
    }
    let extra = if schema["additionalProperties"] == Value::Bool(false) {
        "forbid"
    } else {
        "ignore"
    };
    writeln!(
        text,
        "    model_config = ConfigDict(extra={extra:?}, strict=True, populate_by_name=True)\n"
    )
    .expect("a string takes all text");
    for (key, property) in properties {
        field(text, key, property, is_required(schema, key));
    }
}

fn field(text: &mut String, key: &str, property: &Value, required: bool) {
    let attribute = attribute_name(key);
    let mut arguments = Vec::new();
    if attribute != key {
        arguments.push(format!("alias={}", literal(&Value::from(key))));
    }
    arguments.extend(constraints(property));
    if let Some(description) = property["description"].as_str() {
        arguments.push(format!("description={}", literal(&description.into())));
    }
    let default = match property.get("default") {
        _ if required => "...".to_owned(),
        Some(default) => literal(default),
        // A key that may be left out may not be null. Pydantic does not hold a
        // default against the type, so `None` stands for "left out" only.
        None => "None".to_owned(),
    };
    arguments.insert(0, default);
    writeln!(
        text,
        "    {attribute}: {} = Field({})",
        type_of(property),
        arguments.join(", ")
    )
    .expect("a string takes all text");
}

fn constraints(schema: &Value) -> impl Iterator<Item = String> {
    [
        ("minimum", "ge"),
        ("maximum", "le"),
        ("minLength", "min_length"),
        ("pattern", "pattern"),
    ]
    .into_iter()
    .filter_map(|(keyword, argument)| {
        let value = schema.get(keyword)?;
        Some(format!("{argument}={}", literal(value)))
    })
}

/// The words of Python that a field of ours could be called.
const KEYWORDS: &[&str] = &[
    "and", "as", "assert", "async", "await", "class", "def", "del", "except", "finally", "from",
    "global", "import", "in", "is", "lambda", "not", "or", "pass", "raise", "return", "try",
    "while", "with", "yield",
];

/// Python names may not begin with a digit, hold `+` or be keywords; the key is
/// the alias.
fn attribute_name(key: &str) -> String {
    match key {
        "+1" => return "plus_one".to_owned(),
        "-1" => return "minus_one".to_owned(),
        _ => {}
    }
    let mut name = String::new();
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    if KEYWORDS.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return definition_name(reference).to_owned();
    }
    if let Some(constant) = schema.get("const") {
        return format!("Literal[{}]", literal(constant));
    }
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<_> = words.iter().map(literal).collect();
        return format!("Literal[{}]", words.join(", "));
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[key].as_array() {
            return union(choices.iter().map(type_of).collect());
        }
    }
    if let Some([only]) = schema["allOf"].as_array().map(Vec::as_slice) {
        return type_of(only);
    }
    match &schema["type"] {
        Value::String(name) => plain_type(name, schema),
        Value::Array(names) => union(
            names
                .iter()
                .filter_map(Value::as_str)
                .map(|name| plain_type(name, schema))
                .collect(),
        ),
        _ => "Any".to_owned(),
    }
}

fn union(mut types: Vec<String>) -> String {
    let all = types.len();
    types.retain(|name| name != "None");
    let inner = match &types[..] {
        [only] => only.clone(),
        several => format!("Union[{}]", several.join(", ")),
    };
    if types.len() < all {
        format!("Optional[{inner}]")
    } else {
        inner
    }
}

fn plain_type(name: &str, schema: &Value) -> String {
    match name {
        "string" => "str".to_owned(),
        "boolean" => "bool".to_owned(),
        "null" => "None".to_owned(),
        "integer" => "int".to_owned(),
        "number" => "float".to_owned(),
        "array" => {
            let items = &schema["items"];
            let constraints: Vec<_> = constraints(items).collect();
            if constraints.is_empty() {
                format!("List[{}]", type_of(items))
            } else {
                format!(
                    "List[Annotated[{}, Field({})]]",
                    type_of(items),
                    constraints.join(", ")
                )
            }
        }
        "object" => {
            let values = match schema.get("additionalProperties") {
                Some(values @ Value::Object(_)) => type_of(values),
                _ => "Any".to_owned(),
            };
            format!("Dict[str, {values}]")
        }
        _ => "Any".to_owned(),
    }
}

/// A JSON value as Python source. JSON's string escapes are Python's too.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

fn docstring(description: &str) -> String {
    let line = description.replace('\n', " ").replace('\\', "\\\\");
    format!("\"\"\"{}\"\"\"", line.replace("\"\"\"", "'''"))
}
