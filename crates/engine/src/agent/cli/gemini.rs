//! Gemini CLI: its command line and its events.

use serde_json::Value;

use super::super::Role;
use super::super::transcript::Transcript;
use super::Call;

pub(super) fn call(role: Role, earlier: Option<&str>) -> Call {
    let approval = match role {
        Role::Writer => "yolo",
        Role::Reader => "plan",
    };
    let call =
        Call::new(&["-o", "stream-json", "--skip-trust"]).with(&["--approval-mode", approval]);
    match earlier {
        Some(id) => call.with(&["--resume", id]),
        None => call,
    }
}

pub(super) fn read(event: &Value, transcript: &mut Transcript) {
    match event["type"].as_str() {
        Some("init") => transcript.session = event["session_id"].as_str().map(str::to_owned),
        Some("message") if event["role"] == "assistant" => {
            transcript.append(event["content"].as_str().unwrap_or_default());
        }
        Some("tool_use") => {
            transcript.set_activity(event["tool_name"].as_str().unwrap_or_default());
        }
        Some("error") => transcript.set_error(event["message"].as_str().unwrap_or_default()),
        Some("result") => {
            transcript.is_done = true;
            let stats = &event["stats"];
            transcript.usage.turns += 1;
            transcript.usage.input_tokens = stats["input_tokens"].as_u64().unwrap_or_default();
            transcript.usage.output_tokens = stats["output_tokens"].as_u64().unwrap_or_default();
            if event["status"] == "error" {
                transcript.set_error(
                    event["error"]["message"]
                        .as_str()
                        .unwrap_or("no reason was given"),
                );
            }
        }
        _ => {}
    }
}
