use serde_json::Value;

use super::super::Role;
use super::super::heard::Heard;
use super::Call;

/// A sandbox of codex's own cannot be made within another.
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

pub(super) fn read(event: &Value, heard: &mut Heard) {
    match event["type"].as_str() {
        Some("thread.started") => {
            heard.session = event["thread_id"].as_str().map(str::to_owned);
        }
        Some("item.started") => heard.does(event["item"]["command"].as_str().unwrap_or_default()),
        Some("item.completed") if event["item"]["type"] == "agent_message" => {
            heard.says_anew(event["item"]["text"].as_str().unwrap_or_default());
        }
        Some("turn.completed") => {
            let usage = &event["usage"];
            heard.is_done = true;
            heard.usage.turns += 1;
            heard.usage.input_tokens += usage["input_tokens"].as_u64().unwrap_or_default();
            heard.usage.output_tokens += usage["output_tokens"].as_u64().unwrap_or_default();
        }
        Some("turn.failed") => heard.fails(event["error"]["message"].as_str().unwrap_or_default()),
        Some("error") => heard.fails(event["message"].as_str().unwrap_or_default()),
        _ => {}
    }
}
