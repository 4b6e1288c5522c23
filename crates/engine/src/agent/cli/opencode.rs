//! `opencode`: its command line and its events.

use serde_json::Value;

use super::super::Role;
use super::super::transcript::Transcript;
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

pub(super) fn read(event: &Value, transcript: &mut Transcript) {
    if let Some(id) = event["sessionID"].as_str() {
        transcript.session = Some(id.to_owned());
    }
    let part = &event["part"];
    match event["type"].as_str() {
        Some("text") => transcript.append_message(part["text"].as_str().unwrap_or_default()),
        Some("tool_use") => transcript.set_activity(part["tool"].as_str().unwrap_or_default()),
        Some("error") => {
            let error = &event["error"];
            let text = error["data"]["message"].as_str().or(error["name"].as_str());
            transcript.set_error(text.unwrap_or("no reason was given"));
        }
        Some("step_finish") => {
            transcript.is_done = true;
            transcript.usage.turns += 1;
            transcript.usage.input_tokens += part["tokens"]["input"].as_u64().unwrap_or_default();
            transcript.usage.output_tokens += part["tokens"]["output"].as_u64().unwrap_or_default();
            let before = transcript.usage.cost_micros;
            transcript.set_cost(part["cost"].as_f64().unwrap_or_default());
            transcript.usage.cost_micros = transcript.usage.cost_micros.saturating_add(before);
        }
        _ => {}
    }
}
