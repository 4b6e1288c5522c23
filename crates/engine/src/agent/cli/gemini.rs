use serde_json::Value;

use super::super::Role;
use super::super::heard::Heard;
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

pub(super) fn read(event: &Value, heard: &mut Heard) {
    match event["type"].as_str() {
        Some("init") => heard.session = event["session_id"].as_str().map(str::to_owned),
        Some("message") if event["role"] == "assistant" => {
            heard.says(event["content"].as_str().unwrap_or_default());
        }
        Some("tool_use") => heard.does(event["tool_name"].as_str().unwrap_or_default()),
        Some("error") => heard.fails(event["message"].as_str().unwrap_or_default()),
        Some("result") => {
            heard.is_done = true;
            let stats = &event["stats"];
            heard.usage.turns += 1;
            heard.usage.input_tokens = stats["input_tokens"].as_u64().unwrap_or_default();
            heard.usage.output_tokens = stats["output_tokens"].as_u64().unwrap_or_default();
            if event["status"] == "error" {
                heard.fails(
                    event["error"]["message"]
                        .as_str()
                        .unwrap_or("no reason was given"),
                );
            }
        }
        _ => {}
    }
}
