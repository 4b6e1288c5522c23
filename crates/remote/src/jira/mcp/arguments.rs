//! The arguments of a call, in the names and types of the tool's schema.

use serde_json::{Value, json};

use super::Object;
use super::tools::{Tool, types_of};

/// Filled step by step; arguments that the tool does not take are left out.
pub(super) struct Arguments<'a> {
    tool: &'a Tool,
    values: Object,
}

const ISSUE: &[&str] = &["issue_key", "issueIdOrKey", "issueKey", "issue_id_or_key"];
const TRANSITION: &[&str] = &["transition_id", "transitionId", "transition"];
const COMMENT: &[&str] = &["body", "commentBody", "comment"];
const CLOUD: &str = "cloudId";

impl<'a> Arguments<'a> {
    pub(super) fn new(tool: &'a Tool) -> Self {
        Self {
            tool,
            values: Object::new(),
        }
    }

    pub(super) fn issue(&mut self, key: &str) -> &mut Self {
        self.first_of(ISSUE, &json!(key))
    }

    /// By its id, which some servers take as a number, some as text, some in an
    /// object.
    pub(super) fn transition(&mut self, id: &str) -> &mut Self {
        self.first_of(TRANSITION, &json!(id))
    }

    pub(super) fn comment(&mut self, text: &str) -> &mut Self {
        self.first_of(COMMENT, &json!(text))
    }

    pub(super) fn text(&mut self, name: &'static str, text: &str) -> &mut Self {
        self.first_of(&[name], &json!(text))
    }

    pub(super) fn number(&mut self, name: &'static str, number: u32) -> &mut Self {
        self.first_of(&[name], &json!(number))
    }

    /// One of a list, which some servers take as text with commas.
    pub(super) fn choice(&mut self, name: &'static str, choice: &str) -> &mut Self {
        self.first_of(&[name], &json!(choice))
    }

    pub(super) fn wants_cloud(&self) -> bool {
        self.property(CLOUD).is_some()
    }

    pub(super) fn cloud(&mut self, id: &str) {
        self.first_of(&[CLOUD], &json!(id));
    }

    /// The error is a reason.
    pub(super) fn finish(self) -> Result<Object, String> {
        let required = self.tool.schema.get("required").and_then(Value::as_array);
        let missing = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .find(|name| !self.values.contains_key(*name));
        match missing {
            Some(name) => Err(format!(
                "its tool `{}` wants `{name}`, which is not known here",
                self.tool.name
            )),
            None => Ok(self.values),
        }
    }

    fn property(&self, name: &str) -> Option<&'a Value> {
        self.tool.schema.get("properties")?.get(name)
    }

    fn first_of(&mut self, names: &[&'static str], value: &Value) -> &mut Self {
        let known = names
            .iter()
            .find_map(|name| Some((*name, self.property(name)?)));
        if let Some((name, property)) = known {
            let fitting = fitted(value, &types_of(property));
            self.values.insert(name.to_owned(), fitting);
        }
        self
    }
}

/// The value in the first type that the schema names and that can hold it.
fn fitted(value: &Value, types: &[&str]) -> Value {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let fitting = types.iter().find_map(|wanted| match *wanted {
        "string" => Some(json!(text)),
        "integer" | "number" => text.parse::<u64>().ok().map(Value::from),
        "object" => Some(json!({ "id": text })),
        "array" => Some(json!([text])),
        _ => None,
    });
    fitting.unwrap_or_else(|| value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(properties: &Value, required: &[&str]) -> Tool {
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        Tool {
            name: "move".to_owned(),
            schema: schema.as_object().unwrap().clone(),
        }
    }

    #[test]
    fn an_id_takes_the_type_that_the_tool_wants() {
        let moved = |property: Value| {
            let tool = tool(
                &json!({ "issue_key": { "type": "string" }, "transition_id": property }),
                &[],
            );
            let mut arguments = Arguments::new(&tool);
            arguments.issue("PROJ-1").transition("31");
            arguments.finish().unwrap()["transition_id"].clone()
        };
        assert_eq!(moved(json!({ "type": "string" })), json!("31"));
        assert_eq!(moved(json!({ "type": "integer" })), json!(31));
        assert_eq!(moved(json!({ "type": "object" })), json!({ "id": "31" }));
        let either = json!({ "anyOf": [{ "type": "null" }, { "type": "string" }] });
        assert_eq!(moved(either), json!("31"));
        assert_eq!(moved(json!({})), json!("31"));
    }

    #[test]
    fn unknown_arguments_are_left_out_and_missing_ones_are_reported() {
        let tool = tool(
            &json!({ "issueIdOrKey": { "type": "string" }, "board": {} }),
            &["board"],
        );
        let mut arguments = Arguments::new(&tool);
        arguments.issue("PROJ-1").number("comment_limit", 0);
        insta::assert_snapshot!(
            arguments.finish().unwrap_err(),
            @"its tool `move` wants `board`, which is not known here"
        );
    }

    #[test]
    fn a_list_is_text_or_a_list() {
        let text = tool(&json!({ "fields": { "type": "string" } }), &[]);
        let list = tool(&json!({ "fields": { "type": "array" } }), &[]);
        let filled = |tool: &Tool| {
            let mut arguments = Arguments::new(tool);
            arguments.choice("fields", "status");
            arguments.finish().unwrap()["fields"].clone()
        };
        assert_eq!(filled(&text), json!("status"));
        assert_eq!(filled(&list), json!(["status"]));
    }
}
