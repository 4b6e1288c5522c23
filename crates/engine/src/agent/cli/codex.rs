//! Codex: its command line and its events.

use serde_json::Value;

use super::super::Role;
use super::super::transcript::Transcript;
use super::Call;

/// Codex cannot start its own sandbox within another.
pub(super) fn call(role: Role, earlier: Option<&str>, is_sandboxed: bool) -> Call {
    let sandbox = match role {
        _ if is_sandboxed => "danger-full-access",
        Role::Writer => "workspace-write",
        Role::Reader => "read-only",
    };
    let call = Call::new(&["exec", "--json", "-s", sandbox]);
    match earlier {
        Some(id) => call.with(&["resume", id, "-"]),
        None => call.with(&["-"]),
    }
}

pub(super) fn read(event: &Value, transcript: &mut Transcript) {
    match event["type"].as_str() {
        Some("thread.started") => {
            transcript.session = event["thread_id"].as_str().map(str::to_owned);
        }
        Some("item.started") => {
            transcript.set_activity(event["item"]["command"].as_str().unwrap_or_default());
        }
        Some("item.completed") if event["item"]["type"] == "agent_message" => {
            transcript.append_message(event["item"]["text"].as_str().unwrap_or_default());
        }
        Some("turn.completed") => {
            let usage = &event["usage"];
            transcript.is_done = true;
            transcript.usage.turns += 1;
            transcript.usage.input_tokens += usage["input_tokens"].as_u64().unwrap_or_default();
            transcript.usage.output_tokens += usage["output_tokens"].as_u64().unwrap_or_default();
        }
        Some("turn.failed") => {
            transcript.set_error(event["error"]["message"].as_str().unwrap_or_default());
        }
        Some("error") => transcript.set_error(event["message"].as_str().unwrap_or_default()),
        _ => {}
    }
}
