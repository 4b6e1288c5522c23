//! Gives every object within a schema a name of its own, which languages with
//! classes and interfaces need.

use serde_json::{Map, Value, json};

/// The same schema, with each alternative that is an object moved to the
/// definitions. It is named after where it stood and the word that tells it
/// from the others.
pub(super) fn named(mut schema: Value) -> Value {
    let mut parts = Map::new();
    if let Some(definitions) = schema["definitions"].as_object_mut() {
        for (name, definition) in definitions.iter_mut() {
            move_alternatives(name, definition, &mut parts);
        }
    }
    if let Some(definitions) = schema["definitions"].as_object_mut() {
        definitions.extend(parts);
    }
    schema
}

fn move_alternatives(name: &str, schema: &mut Value, parts: &mut Map<String, Value>) {
    for keyword in ["oneOf", "anyOf"] {
        let Some(alternatives) = schema.get_mut(keyword).and_then(Value::as_array_mut) else {
            continue;
        };
        for alternative in alternatives {
            if !alternative["properties"].is_object() {
                continue;
            }
            let part = format!("{name}{}", telling_word(alternative));
            let reference = json!({ "$ref": format!("#/definitions/{part}") });
            parts.insert(part, std::mem::replace(alternative, reference));
        }
    }
}

/// The constant that only this alternative has, in Pascal case.
fn telling_word(alternative: &Value) -> String {
    let constant = alternative["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .find_map(|(_, property)| property["const"].as_str());
    let mut word = String::new();
    for part in constant.unwrap_or("Other").split('_') {
        let mut letters = part.chars();
        word.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        word.extend(letters);
    }
    word
}
