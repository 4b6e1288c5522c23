//! The requests and answers that both ways to Jira share.

use serde_json::{Map, Value};

/// An issue, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueState {
    pub key: String,
    /// The name of its status, as the workflow calls it.
    pub status: String,
}

/// A transition from the issue's status to another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    pub id: String,
    pub name: String,
    /// The name of the status that it leads to, where that is reported.
    pub to: Option<String>,
    /// Fields that have to be filled in and have no default, by the names that
    /// people see.
    pub required_fields: Vec<String>,
}

/// The link that an issue gets.
#[derive(Clone, Copy, Debug)]
pub struct PullRequestLink<'a> {
    pub url: &'a str,
    pub title: &'a str,
}

impl PullRequestLink<'_> {
    /// Two links of one issue with the same id are one.
    pub(super) fn global_id(&self) -> String {
        format!("baton:{}", self.url)
    }

    /// The comment where there are no remote links.
    pub(super) fn comment(&self) -> String {
        format!("Pull Request: {}", self.url)
    }
}

/// How the issue links to the pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linked {
    RemoteLink,
    Comment,
    /// It was there before.
    Already,
}

/// The names of those of a transition's fields that have to be filled in.
pub(super) fn required_fields(fields: &Map<String, Value>) -> Vec<String> {
    let missing = fields.iter().filter(|(_, field)| {
        let is = |name: &str| field.get(name).and_then(Value::as_bool).unwrap_or(false);
        is("required") && !is("hasDefaultValue")
    });
    missing
        .map(|(id, field)| {
            let name = field.get("name").and_then(Value::as_str);
            name.unwrap_or(id).to_owned()
        })
        .collect()
}

/// Whether any text in the value contains the address: markup, documents, lists
/// of links. The depth is bounded, since a document may be nested without limit.
pub(super) fn mentions(within: &Value, address: &str) -> bool {
    const DEEPEST: usize = 32;
    let mut open = vec![(within, 0)];
    while let Some((value, depth)) = open.pop() {
        match value {
            Value::String(text) if has_address(text, address) => return true,
            Value::Array(items) if depth < DEEPEST => {
                open.extend(items.iter().map(|item| (item, depth + 1)));
            }
            Value::Object(fields) if depth < DEEPEST => {
                open.extend(fields.values().map(|item| (item, depth + 1)));
            }
            _ => {}
        }
    }
    false
}

/// Number 1 is not number 12.
fn has_address(text: &str, address: &str) -> bool {
    text.match_indices(address).any(|(start, _)| {
        let after = text[start + address.len()..].chars().next();
        !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_address_is_found_in_markup_and_in_a_document() {
        let url = "https://github.com/octo/demo/pull/7";
        let document = json!({ "content": [{ "content": [{ "text": "x", "marks": [{ "attrs": { "href": url } }] }] }] });
        assert!(mentions(&document, url));
        assert!(mentions(&json!(format!("see [the change|{url}]")), url));
        assert!(mentions(&json!(format!("Pull Request: {url}")), url));
        assert!(!mentions(&json!(format!("Pull Request: {url}1")), url));
        assert!(!mentions(&json!({ "total": 0 }), url));
    }

    #[test]
    fn fields_without_a_default_are_required() {
        let fields = json!({
            "resolution": { "required": true, "name": "Resolution" },
            "assignee": { "required": false, "name": "Assignee" },
            "priority": { "required": true, "hasDefaultValue": true, "name": "Priority" },
        });
        assert_eq!(required_fields(fields.as_object().unwrap()), ["Resolution"]);
    }
}
