//! What is asked of the issue, and what it says.

use serde_json::{Value, json};

use super::{BASIC, ISSUE, Inside, TOKEN, USER, Way};
use crate::request::Request;

impl Inside {
    /// `Null` is an empty body.
    pub(super) fn do_it(&mut self, request: &Request) -> (u16, Value) {
        let authorization = request.header("authorization").unwrap_or_default();
        if authorization != BASIC && authorization.strip_prefix("Bearer ") != Some(TOKEN) {
            return refusal(401, "Client must be authenticated to access this resource.");
        }
        let rest = ["/rest/api/2", "/rest/api/3"]
            .iter()
            .find_map(|start| request.path().strip_prefix(start));
        match (request.method.as_str(), rest) {
            ("GET", Some("/myself")) => (200, myself()),
            ("GET", Some("/serverInfo")) => (200, json!({ "deploymentType": "Server" })),
            ("GET", Some("/field")) => (200, json!([])),
            (method, Some(rest)) => {
                let of_issue = rest
                    .strip_prefix("/issue/")
                    .and_then(|rest| rest.strip_prefix(ISSUE));
                match of_issue {
                    Some(part) => self.issue_part(method, part, request),
                    None => refusal(
                        404,
                        "Issue does not exist or you do not have permission to see it.",
                    ),
                }
            }
            _ => refusal(404, "There is nothing here."),
        }
    }

    fn issue_part(&mut self, method: &str, part: &str, request: &Request) -> (u16, Value) {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        match (method, part) {
            ("GET", "") => (200, self.issue()),
            ("GET", "/transitions") => {
                let ways = (1..).zip(&self.transitions).map(|(id, way)| told(id, way));
                let ways: Vec<Value> = ways.collect();
                (200, json!({ "transitions": ways }))
            }
            ("POST", "/transitions") => self.go(&body),
            ("GET", "/remotelink") => (200, json!(self.links)),
            ("POST", "/remotelink") if self.has_remote_links => self.link(body),
            ("POST", "/remotelink") => refusal(403, "Issue linking is switched off."),
            ("GET", "/comment") => {
                let total = self.comments.len();
                (200, json!({ "comments": self.comments, "total": total }))
            }
            ("POST", "/comment") => {
                let id = self.comments.len() + 1;
                let comment = json!({
                    "id": id.to_string(),
                    "body": body["body"],
                    "author": myself(),
                    "created": "2026-01-02T03:04:05.000+0000",
                });
                self.comments.push(comment.clone());
                (201, comment)
            }
            _ => refusal(404, "There is nothing here."),
        }
    }

    fn issue(&self) -> Value {
        json!({
            "id": "10001",
            "key": ISSUE,
            "fields": {
                "summary": "Add a topic",
                "status": { "id": "3", "name": self.status },
                "comment": { "comments": self.comments, "total": self.comments.len() },
            },
        })
    }

    fn go(&mut self, body: &Value) -> (u16, Value) {
        // Jira itself takes both.
        let id = &body["transition"]["id"];
        let id = id.as_u64().or_else(|| id.as_str()?.parse().ok());
        let way = id.and_then(|id| {
            self.transitions
                .get(usize::try_from(id).ok()?.checked_sub(1)?)
        });
        let Some(way) = way else {
            return refusal(400, "The transition is not valid for the current state.");
        };
        if let Some(field) = &way.required
            && body["fields"].get(field).is_none()
        {
            let errors = json!({ field: "It is required." });
            return (400, json!({ "errorMessages": [], "errors": errors }));
        }
        self.status.clone_from(&way.to);
        self.moves.push(way.name.clone());
        (204, Value::Null)
    }

    /// One global id is one link.
    fn link(&mut self, link: Value) -> (u16, Value) {
        let same = self.links.iter().position(|known| {
            known
                .get("globalId")
                .is_some_and(|id| *id == link["globalId"])
        });
        let (status, place) = if let Some(place) = same {
            self.links[place] = link;
            (200, place)
        } else {
            self.links.push(link);
            (201, self.links.len() - 1)
        };
        (status, json!({ "id": 10_000 + place }))
    }
}

fn told(id: usize, way: &Way) -> Value {
    let fields = way.required.as_ref().map_or_else(
        || json!({}),
        |name| json!({ name: { "required": true, "name": name } }),
    );
    json!({
        "id": id.to_string(),
        "name": way.name,
        "to": { "id": (100 + id).to_string(), "name": way.to },
        "fields": fields,
    })
}

fn myself() -> Value {
    json!({ "name": "octo", "displayName": "Octo", "emailAddress": USER })
}

fn refusal(status: u16, message: &str) -> (u16, Value) {
    (status, json!({ "errorMessages": [message], "errors": {} }))
}
