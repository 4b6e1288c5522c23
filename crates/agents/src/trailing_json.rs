//! Finds the JSON that an agent was asked to end with among whatever else it
//! said.

use serde_json::Value;

/// Agents quote, explain and repeat themselves; looking at more places than
/// this would cost more than it finds.
const MAX_PLACES: usize = 2_000;

/// The last object in the text that has this field.
pub(crate) fn last_object(text: &str, field: &str) -> Option<Value> {
    let mut starts = text.rmatch_indices('{').take(MAX_PLACES);
    starts.find_map(|(start, _)| {
        let behind = serde_json::Deserializer::from_str(&text[start..]);
        let value = behind.into_iter::<Value>().next()?.ok()?;
        value.get(field).is_some().then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_one_counts() {
        let said = "{\"a\": 1} and then {\"a\": {\"b\": 2}} { not this";
        assert_eq!(last_object(said, "a"), Some(json!({ "a": { "b": 2 } })));
        assert_eq!(last_object(said, "c"), None);
        assert_eq!(last_object("{{{{", "c"), None);
    }
}
