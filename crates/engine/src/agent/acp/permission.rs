//! Answers an agent's requests for permission.

use serde_json::{Value, json};

use super::super::Role;

/// Kinds of tools that change nothing.
const HARMLESS: &[&str] = &["read", "search", "think", "fetch"];

/// The response when an agent asks for permission. Options are chosen by their
/// kind, since their names and order are up to the agent. The narrower permission
/// comes first.
pub(super) fn answer(role: Role, params: &Value) -> Value {
    let tool = params["toolCall"]["kind"].as_str().unwrap_or("other");
    let kinds = match role {
        Role::Writer => ["allow_once", "allow_always"],
        Role::Reader if HARMLESS.contains(&tool) => ["allow_once", "allow_always"],
        Role::Reader => ["reject_once", "reject_always"],
    };
    let options = params["options"].as_array();
    let chosen = kinds.iter().find_map(|kind| {
        let mut options = options.into_iter().flatten();
        options.find(|option| option["kind"] == *kind)?["optionId"].as_str()
    });
    match chosen {
        Some(id) => json!({ "outcome": { "outcome": "selected", "optionId": id } }),
        // The only answer that is neither yes nor no.
        None => json!({ "outcome": { "outcome": "cancelled" } }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(role: Role, tool: &str, options: &[(&str, &str)]) -> String {
        let options: Vec<Value> = options
            .iter()
            .map(|(id, kind)| json!({ "optionId": id, "name": "Allow", "kind": kind }))
            .collect();
        let params = json!({ "toolCall": { "kind": tool }, "options": options });
        let answer = answer(role, &params);
        let outcome = &answer["outcome"];
        let word = outcome["optionId"].as_str().or(outcome["outcome"].as_str());
        word.unwrap().to_owned()
    }

    const ALL: &[(&str, &str)] = &[
        ("0", "reject_always"),
        ("1", "allow_always"),
        ("2", "reject_once"),
        ("3", "allow_once"),
    ];

    #[test]
    fn a_writer_is_allowed_each_time() {
        assert_eq!(asked(Role::Writer, "edit", ALL), "3");
        assert_eq!(asked(Role::Writer, "execute", &ALL[..2]), "1");
    }

    #[test]
    fn a_reader_may_look_and_nothing_else() {
        assert_eq!(asked(Role::Reader, "read", ALL), "3");
        for tool in [
            "edit",
            "delete",
            "move",
            "execute",
            "other",
            "something new",
        ] {
            assert_eq!(asked(Role::Reader, tool, ALL), "2", "{tool}");
        }
        assert_eq!(asked(Role::Reader, "edit", &ALL[..2]), "0");
    }

    #[test]
    fn where_no_option_fits_nothing_is_granted() {
        assert_eq!(
            asked(Role::Reader, "edit", &[("yes", "allow_once")]),
            "cancelled"
        );
        assert_eq!(
            asked(Role::Writer, "edit", &[("no", "reject_once")]),
            "cancelled"
        );
        assert_eq!(asked(Role::Writer, "edit", &[]), "cancelled");
    }
}
