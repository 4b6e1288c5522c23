//! Parses the answers of servers: usually JSON in a text, and sentences for
//! errors.

use serde_json::Value;

use super::super::error::JiraErrorKind;
use super::super::model::{IssueState, Transition, required_fields};

/// A successful answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reply(Value);

/// How much of an answer is quoted in a message.
const EXCERPT: usize = 300;

impl Reply {
    /// `text` is all of the answer's text. A server may mark it as an error, and
    /// some report errors only in the text.
    pub(super) fn read(server: &str, text: &str, is_error: bool) -> Result<Self, JiraErrorKind> {
        if is_error {
            return Err(judge(server, text));
        }
        let mut value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        // Some servers encode the JSON twice.
        if let Value::String(inner) = &value
            && let Ok(unpacked) = serde_json::from_str(inner)
        {
            value = unpacked;
        }
        match complaint(&value) {
            Some(said) => Err(judge(server, said)),
            None => Ok(Self(value)),
        }
    }

    pub(super) fn value(&self) -> &Value {
        &self.0
    }

    pub(super) fn excerpt(&self) -> String {
        excerpt(&match &self.0 {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    }

    pub(super) fn issue(&self, key: &str) -> Option<IssueState> {
        let status = status(&self.0)?;
        let told = self.0["key"].as_str();
        Some(IssueState {
            key: told.unwrap_or(key).to_owned(),
            status,
        })
    }

    pub(super) fn transitions(&self) -> Option<Vec<Transition>> {
        let list = self
            .0
            .as_array()
            .or_else(|| self.0["transitions"].as_array());
        list?.iter().map(transition).collect()
    }

    pub(super) fn status_after_move(&self) -> Option<String> {
        status(&self.0["issue"]).or_else(|| status(&self.0))
    }
}

fn status(issue: &Value) -> Option<String> {
    let status = issue
        .get("status")
        .or_else(|| issue["fields"].get("status"))?;
    let name = status.as_str().or_else(|| status["name"].as_str())?;
    Some(name.to_owned())
}

fn transition(told: &Value) -> Option<Transition> {
    let id = match &told["id"] {
        Value::String(id) => id.clone(),
        Value::Number(id) => id.to_string(),
        _ => return None,
    };
    let to = [&told["to_status"], &told["to"]["name"], &told["to"]];
    let fields = told["fields"].as_object();
    Some(Transition {
        id,
        name: told["name"].as_str()?.to_owned(),
        to: to.iter().find_map(|to| to.as_str()).map(str::to_owned),
        required_fields: fields.map(required_fields).unwrap_or_default(),
    })
}

/// The error in an answer that was sent as a success.
fn complaint(value: &Value) -> Option<&str> {
    if let Value::String(text) = value {
        let begins = |start: &str| {
            text.get(..start.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(start))
        };
        return begins("error").then_some(text.as_str());
    }
    if value["success"] == false || value["error"] == true {
        let told = value["error"]
            .as_str()
            .or_else(|| value["message"].as_str());
        return Some(told.unwrap_or("it did not succeed"));
    }
    value["error"].as_str()
}

/// Classifies an error message. The numbers are those of HTTP, which servers pass
/// on; the words are those that Jira itself and the servers use.
pub(super) fn judge(server: &str, text: &str) -> JiraErrorKind {
    let lower = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let has_number = |number: &str| {
        lower
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
            .any(|word| word == number)
    };
    if says(&["captcha"]) {
        return JiraErrorKind::Captcha;
    }
    if has_number("401") || says(&["unauthorized", "unauthenticated", "must be authenticated"]) {
        return JiraErrorKind::Authentication;
    }
    if has_number("404") || says(&["not found", "does not exist", "no issue found"]) {
        return JiraErrorKind::IssueNotFound;
    }
    if has_number("403") || says(&["forbidden", "permission", "read-only mode"]) {
        return JiraErrorKind::NotPermitted {
            message: excerpt(text),
        };
    }
    if says(&["authentication failed"]) {
        return JiraErrorKind::Authentication;
    }
    JiraErrorKind::Mcp {
        server: server.to_owned(),
        message: excerpt(text),
    }
}

fn excerpt(text: &str) -> String {
    crate::http::display::excerpt(text.trim())
        .chars()
        .take(EXCERPT)
        .collect()
}

/// The id of the configured site among those that the account can see. The error
/// is a reason.
pub(super) fn site(told: &Value, url: Option<&str>) -> Result<String, String> {
    let sites: Vec<(&str, &str)> = told
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|site| {
            Some((
                site["id"].as_str()?,
                site["url"].as_str().unwrap_or_default(),
            ))
        })
        .collect();
    let plain = |url: &str| url.trim_end_matches('/').to_lowercase();
    match (&sites[..], url) {
        ([], _) => Err("its account may see no site".to_owned()),
        (_, Some(url)) => sites
            .iter()
            .find(|(_, known)| plain(known) == plain(url))
            .map(|(id, _)| (*id).to_owned())
            .ok_or_else(|| format!("its account may not see {url}")),
        // One site may be listed once for each product.
        ([(id, _), rest @ ..], None) if rest.iter().all(|(other, _)| other == id) => {
            Ok((*id).to_owned())
        }
        (_, None) => {
            let urls: Vec<&str> = sites.iter().map(|(_, url)| *url).collect();
            let urls = excerpt(&urls.join(", "));
            Err(format!(
                "its account may see several sites ({urls}); set jira.url to one"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Reply {
        Reply::read("jira", text, false).unwrap()
    }

    #[test]
    fn both_servers_are_understood() {
        let plain = read(r#"{"key": "PROJ-1", "status": {"name": "In Progress"}}"#);
        let deep = read(r#"{"key": "PROJ-1", "fields": {"status": {"name": "In Progress"}}}"#);
        let packed = read(&json!(plain.value().to_string()).to_string());
        let expected = IssueState {
            key: "PROJ-1".to_owned(),
            status: "In Progress".to_owned(),
        };
        for reply in [plain, deep, packed] {
            assert_eq!(reply.issue("PROJ-1").as_ref(), Some(&expected));
        }
        let numbers = read(r#"[{"id": 31, "name": "Review"}]"#);
        let texts = read(
            r#"{"transitions": [{"id": "31", "name": "Review", "to": {"name": "In Review"},
            "fields": {"resolution": {"required": true, "name": "Resolution"}}}]}"#,
        );
        insta::assert_debug_snapshot!(
            [numbers.transitions().unwrap(), texts.transitions().unwrap()].concat(),
            @r#"
        [
            Transition {
                id: "31",
                name: "Review",
                to: None,
                required_fields: [],
            },
            Transition {
                id: "31",
                name: "Review",
                to: Some(
                    "In Review",
                ),
                required_fields: [
                    "Resolution",
                ],
            },
        ]
        "#
        );
    }

    #[test]
    fn an_answer_of_another_kind_is_none() {
        assert_eq!(read("It works!").issue("PROJ-1"), None);
        assert_eq!(read(r#"[{"name": "without an id"}]"#).transitions(), None);
        assert_eq!(read(r#"{"total": 0}"#).transitions(), None);
    }

    #[test]
    fn error_messages_are_classified() {
        let said = |text: &str, is_error| match Reply::read("jira", text, is_error) {
            Ok(_) => "fine".to_owned(),
            Err(kind) => kind.to_string(),
        };
        let told: Vec<String> = [
            ("Error calling tool 'get_issue': Authentication failed for Jira API (401). Please verify credentials.", true),
            ("Authentication failed for Jira API (403). Token may be expired or invalid.", true),
            ("Issue PROJ-401 not found. Verify the issue key and project access.", true),
            ("Issue does not exist or you do not have permission to see it.", true),
            ("Cannot add comment in read-only mode.", true),
            ("CAPTCHA_CHALLENGE", true),
            ("It is required.", true),
            (r#"{"success": false, "error": "Unauthorized"}"#, false),
            (r#"{"error": true, "message": "no permission"}"#, false),
            ("Error: the issue does not exist", false),
            (r#"{"success": true}"#, false),
        ]
        .iter()
        .map(|(text, is_error)| said(text, *is_error))
        .collect();
        insta::assert_snapshot!(told.join("\n"), @"
        Jira refuses the credentials
        this account may not do that: Authentication failed for Jira API (403). Token may be expired or invalid.
        there is no such issue, or this account may not see it
        there is no such issue, or this account may not see it
        this account may not do that: Cannot add comment in read-only mode.
        Jira wants a captcha solved before it lets this account in again
        the MCP server `jira` answers: It is required.
        Jira refuses the credentials
        this account may not do that: no permission
        there is no such issue, or this account may not see it
        fine
        ");
    }

    #[test]
    fn the_site_that_is_meant_is_found() {
        let one = json!([{ "id": "a", "url": "https://acme.atlassian.net" }, { "id": "a", "url": "https://acme.atlassian.net" }]);
        let two = json!([{ "id": "a", "url": "https://acme.atlassian.net" }, { "id": "b", "url": "https://other.atlassian.net" }]);
        assert_eq!(site(&one, None), Ok("a".to_owned()));
        assert_eq!(
            site(&two, Some("https://other.atlassian.net/")),
            Ok("b".to_owned())
        );
        insta::assert_snapshot!(site(&two, None).unwrap_err(), @"its account may see several sites (https://acme.atlassian.net, https://other.atlassian.net); set jira.url to one");
        insta::assert_snapshot!(site(&two, Some("https://third.example")).unwrap_err(), @"its account may not see https://third.example");
        insta::assert_snapshot!(site(&json!("nothing"), None).unwrap_err(), @"its account may see no site");
    }
}
