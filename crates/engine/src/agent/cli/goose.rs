//! Goose: its command line and its events.

use serde_json::Value;

use super::super::Role;
use super::super::transcript::Transcript;
use super::Call;

pub(super) fn call(role: Role) -> Call {
    let mode = match role {
        Role::Writer => "auto",
        Role::Reader => "chat",
    };
    let mut call =
        Call::new(&["run", "--no-session", "--output-format", "stream-json"]).with(&["-i", "-"]);
    call.env.push(("GOOSE_MODE", mode));
    call
}

pub(super) fn read(event: &Value, transcript: &mut Transcript) {
    match event["type"].as_str() {
        Some("message") if event["message"]["role"] == "assistant" => {
            for part in event["message"]["content"].as_array().into_iter().flatten() {
                if part["type"] == "text" {
                    transcript.append(part["text"].as_str().unwrap_or_default());
                }
            }
        }
        Some("error") => transcript.set_error(event["error"].as_str().unwrap_or_default()),
        Some("complete") => {
            transcript.is_done = true;
            transcript.usage.turns += 1;
            // It does not split them into input and output.
            transcript.usage.output_tokens = event["total_tokens"].as_u64().unwrap_or_default();
        }
        _ => {}
    }
}
