//! Atlassian's own MCP server in front of the same issue: streamable HTTP with
//! plain JSON answers, as little of it as a client needs.

use std::io::{BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

use super::{BASIC, FakeJira, ISSUE, Inside, TOKEN, raw};
use crate::request::Request;

/// What the account's only site is called.
const CLOUD: &str = "11111111-2222-3333-4444-555555555555";

impl FakeJira {
    /// The address of an MCP server that wants [`TOKEN`] as a bearer token.
    pub fn serve_mcp(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("it listens");
        let inside = Arc::clone(&self.inside);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let inside = Arc::clone(&inside);
                thread::spawn(move || serve(&stream, &inside));
            }
        });
        format!("http://{address}/v1/mcp")
    }
}

fn serve(stream: &TcpStream, inside: &Mutex<Inside>) {
    let mut reader = BufReader::new(stream);
    while let Ok(Some(request)) = Request::read(&mut reader) {
        let mut known = inside.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = answer(&request, &mut known);
        drop(known);
        let mut stream = stream;
        let is_sent = stream.write_all(answer.as_bytes()).is_ok();
        if !is_sent || request.is_last() {
            return;
        }
    }
}

fn answer(request: &Request, inside: &mut Inside) -> String {
    const JSON: &str = "application/json";
    let is_known = request
        .header("authorization")
        .and_then(|value| value.strip_prefix("Bearer "))
        == Some(TOKEN);
    if !is_known {
        return raw(401, JSON, "www-authenticate: Bearer realm=\"OAuth\"", "{}");
    }
    if request.method != "POST" {
        return raw(405, JSON, "", "");
    }
    let message: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let Some(id) = message.get("id") else {
        return raw(202, JSON, "", "");
    };
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "atlassian-mcp-server", "version": "1.0.0" },
        }),
        "tools/list" => json!({ "tools": tools() }),
        "tools/call" => {
            let params = &message["params"];
            inside.called(
                params["name"].as_str().unwrap_or_default(),
                &params["arguments"],
            )
        }
        _ => json!({}),
    };
    let body = json!({ "jsonrpc": "2.0", "id": id, "result": result });
    raw(200, JSON, "", &body.to_string())
}

fn tools() -> Value {
    let text = json!({ "type": "string" });
    let tool = |name: &str, more: Value| {
        let mut properties = json!({ "cloudId": text, "issueIdOrKey": text });
        let mut required = vec!["cloudId".to_owned(), "issueIdOrKey".to_owned()];
        for (name, schema) in more.as_object().into_iter().flatten() {
            properties[name] = schema.clone();
            if schema["optional"] != true {
                required.push(name.clone());
            }
        }
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        json!({ "name": name, "description": name, "inputSchema": schema })
    };
    json!([
        {
            "name": "getAccessibleAtlassianResources",
            "description": "the sites",
            "inputSchema": { "type": "object", "properties": {} },
        },
        tool("getJiraIssue", json!({ "fields": { "type": "array", "items": text, "optional": true } })),
        tool("getTransitionsForJiraIssue", json!({ "expand": { "type": "string", "optional": true } })),
        tool("transitionJiraIssue", json!({ "transition": { "type": "object" } })),
        tool("addCommentToJiraIssue", json!({ "commentBody": text })),
        tool("getJiraIssueRemoteIssueLinks", json!({})),
    ])
}

impl Inside {
    fn called(&mut self, tool: &str, arguments: &Value) -> Value {
        self.calls.push(tool.to_owned());
        if tool == "getAccessibleAtlassianResources" {
            let sites = json!([{ "id": CLOUD, "url": "https://acme.atlassian.net" }]);
            return said(&sites.to_string(), false);
        }
        if arguments["cloudId"] != CLOUD {
            return said("Cloud id is not valid", true);
        }
        let key = arguments["issueIdOrKey"].as_str().unwrap_or_default();
        let (method, part, body) = match tool {
            "getJiraIssue" => ("GET", "", Value::Null),
            "getTransitionsForJiraIssue" => ("GET", "/transitions", Value::Null),
            "getJiraIssueRemoteIssueLinks" => ("GET", "/remotelink", Value::Null),
            "transitionJiraIssue" => {
                let transition = json!({ "transition": arguments["transition"] });
                ("POST", "/transitions", transition)
            }
            "addCommentToJiraIssue" => (
                "POST",
                "/comment",
                json!({ "body": arguments["commentBody"] }),
            ),
            _ => return said("There is no such tool", true),
        };
        let request = Request::local(
            method,
            &format!("/rest/api/3/issue/{key}{part}"),
            BASIC,
            body.to_string().into_bytes(),
        );
        let (status, answer) = self.do_it(&request);
        match (status, answer) {
            (200..=299, Value::Null) => said(&format!("{key} was changed"), false),
            (200..=299, answer) => said(&answer.to_string(), false),
            (status, answer) => {
                let reason = answer["errorMessages"][0]
                    .as_str()
                    .unwrap_or(ISSUE)
                    .to_owned();
                said(&format!("Failed with {status}: {reason}"), true)
            }
        }
    }
}

fn said(text: &str, is_error: bool) -> Value {
    json!({ "content": [{ "type": "text", "text": text }], "isError": is_error })
}
