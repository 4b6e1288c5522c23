//! Claude Code: its command line and its events.

use serde_json::Value;

use super::super::Role;
use super::super::transcript::Transcript;
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

pub(super) fn read(event: &Value, transcript: &mut Transcript) {
    if let Some(id) = event["session_id"].as_str() {
        transcript.session = Some(id.to_owned());
    }
    match event["type"].as_str() {
        Some("assistant") => {
            for part in event["message"]["content"].as_array().into_iter().flatten() {
                match part["type"].as_str() {
                    Some("text") => {
                        transcript.append_message(part["text"].as_str().unwrap_or_default());
                    }
                    Some("tool_use") => {
                        transcript.set_activity(part["name"].as_str().unwrap_or_default());
                    }
                    _ => {}
                }
            }
        }
        Some("result") => {
            transcript.is_done = true;
            transcript.usage.turns = event["num_turns"].as_u64().unwrap_or_default();
            transcript.usage.input_tokens =
                event["usage"]["input_tokens"].as_u64().unwrap_or_default();
            transcript.usage.output_tokens =
                event["usage"]["output_tokens"].as_u64().unwrap_or_default();
            transcript.set_cost(event["total_cost_usd"].as_f64().unwrap_or_default());
            let result = event["result"].as_str().unwrap_or_default();
            if event["is_error"].as_bool() == Some(true) {
                transcript.set_error(result);
            } else {
                transcript.append_message(result);
            }
        }
        _ => {}
    }
}
