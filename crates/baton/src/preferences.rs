//! What the user prefers, per tool: it holds where a call says nothing.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::config::{Config, KEYS, Kind};

/// Keys are called `tools.TOOL.FIELD`.
const PREFIX: &str = "tools.";

/// Stored preferences, by tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Preferences(BTreeMap<&'static str, Map<String, Value>>);

impl Preferences {
    pub(crate) fn from_config(config: &Config) -> Self {
        let mut tools = BTreeMap::<_, Map<String, Value>>::new();
        for key in KEYS.iter() {
            let named = key.path.strip_prefix(PREFIX);
            let Some((tool, field)) = named.and_then(|rest| rest.split_once('.')) else {
                continue;
            };
            let Some(value) = config.get(key.path) else {
                continue;
            };
            let value = match key.kind {
                Kind::Flag => Value::Bool(value.text == "true"),
                _ => Value::String(value.text.clone()),
            };
            tools
                .entry(tool)
                .or_default()
                .insert(field.to_owned(), value);
        }
        Self(tools)
    }

    /// Fills in what the call left open. An argument that is there stays,
    /// whatever it is: a wrong one is to be complained about, not replaced.
    pub(crate) fn fill(&self, tool: &str, input: &mut Value) {
        let (Some(preferred), Value::Object(input)) = (self.0.get(tool), input) else {
            return;
        };
        for (field, value) in preferred {
            if !input.contains_key(field) {
                input.insert(field.clone(), value.clone());
            }
        }
    }
}
