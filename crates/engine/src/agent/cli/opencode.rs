use serde_json::Value;

use super::super::Role;
use super::super::heard::Heard;
use super::Call;

pub(super) fn call(role: Role, earlier: Option<&str>) -> Call {
    let agent = match role {
        Role::Writer => "build",
        Role::Reader => "plan",
    };
    let call = Call::new(&["run", "--format", "json", "--agent", agent]);
    match earlier {
        Some(id) => call.with(&["--session", id]),
        None => call,
    }
}

pub(super) fn read(event: &Value, heard: &mut Heard) {
    if let Some(id) = event["sessionID"].as_str() {
        heard.session = Some(id.to_owned());
    }
    let part = &event["part"];
    match event["type"].as_str() {
        Some("text") => heard.says_anew(part["text"].as_str().unwrap_or_default()),
        Some("tool_use") => heard.does(part["tool"].as_str().unwrap_or_default()),
        Some("error") => {
            let error = &event["error"];
            let text = error["data"]["message"].as_str().or(error["name"].as_str());
            heard.fails(text.unwrap_or("no reason was given"));
        }
        Some("step_finish") => {
            heard.is_done = true;
            heard.usage.turns += 1;
            heard.usage.input_tokens += part["tokens"]["input"].as_u64().unwrap_or_default();
            heard.usage.output_tokens += part["tokens"]["output"].as_u64().unwrap_or_default();
            let before = heard.usage.cost_micros;
            heard.costs(part["cost"].as_f64().unwrap_or_default());
            heard.usage.cost_micros = heard.usage.cost_micros.saturating_add(before);
        }
        _ => {}
    }
}
