use serde_json::Value;

use super::super::Role;
use super::super::heard::Heard;
use super::{Call, new_session};

pub(super) fn call(role: Role, earlier: Option<&str>) -> Call {
    let mode = match role {
        Role::Writer => "acceptEdits",
        Role::Reader => "plan",
    };
    let call = Call::new(&["-p", "--output-format", "stream-json", "--verbose"])
        .with(&["--permission-mode", mode]);
    if let Some(id) = earlier {
        return call.with(&["--resume", id]);
    }
    let id = new_session();
    let mut call = call.with(&["--session-id", &id]);
    call.session = Some(id);
    call
}

pub(super) fn read(event: &Value, heard: &mut Heard) {
    if let Some(id) = event["session_id"].as_str() {
        heard.session = Some(id.to_owned());
    }
    match event["type"].as_str() {
        Some("assistant") => {
            for part in event["message"]["content"].as_array().into_iter().flatten() {
                match part["type"].as_str() {
                    Some("text") => heard.says_anew(part["text"].as_str().unwrap_or_default()),
                    Some("tool_use") => heard.does(part["name"].as_str().unwrap_or_default()),
                    _ => {}
                }
            }
        }
        Some("result") => {
            heard.is_done = true;
            heard.usage.turns = event["num_turns"].as_u64().unwrap_or_default();
            heard.usage.input_tokens = event["usage"]["input_tokens"].as_u64().unwrap_or_default();
            heard.usage.output_tokens =
                event["usage"]["output_tokens"].as_u64().unwrap_or_default();
            heard.costs(event["total_cost_usd"].as_f64().unwrap_or_default());
            let result = event["result"].as_str().unwrap_or_default();
            if event["is_error"].as_bool() == Some(true) {
                heard.fails(result);
            } else {
                heard.says_anew(result);
            }
        }
        _ => {}
    }
}
