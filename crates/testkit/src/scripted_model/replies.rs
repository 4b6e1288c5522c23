//! Replies of the model in the form that each API has.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::conversation::Dialect;
use super::tools::Call;

/// What the model says.
pub(super) enum Say {
    Text(String),
    Call { id: String, call: Call },
}

const USAGE: (u64, u64) = (120, 30);

/// The media type and the body of an answer.
pub(super) fn render(dialect: Dialect, streams: bool, say: &Say) -> (&'static str, String) {
    let (whole, events) = match dialect {
        Dialect::Chat => chat(say),
        Dialect::Responses => responses(say),
        Dialect::Messages => messages(say),
    };
    if !streams {
        return ("application/json", whole.to_string());
    }
    let mut text = String::new();
    for event in events {
        if let Some(name) = event["type"].as_str() {
            writeln!(text, "event: {name}").expect("a string takes all text");
        }
        write!(text, "data: {event}\n\n").expect("a string takes all text");
    }
    if dialect == Dialect::Chat {
        text.push_str("data: [DONE]\n\n");
    }
    ("text/event-stream", text)
}

fn chat(say: &Say) -> (Value, Vec<Value>) {
    let (message, reason) = match say {
        Say::Text(text) => (json!({ "role": "assistant", "content": text }), "stop"),
        Say::Call { id, call } => {
            let function = json!({ "name": call.name, "arguments": call.arguments.to_string() });
            let calls = json!([{ "index": 0, "id": id, "type": "function", "function": function }]);
            let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
            (message, "tool_calls")
        }
    };
    let (input, output) = USAGE;
    let usage = json!({
        "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
    });
    let frame = |object: &str, key: &str, part: &Value, reason: &Value| {
        json!({
            "id": "chat-1", "object": object, "created": 1, "model": "scripted",
            "choices": [{ "index": 0, key: part, "finish_reason": reason }],
        })
    };
    let mut whole = frame("chat.completion", "message", &message, &json!(reason));
    whole["usage"] = usage.clone();
    let object = "chat.completion.chunk";
    let mut last = frame(object, "delta", &json!({}), &json!(reason));
    last["usage"] = usage;
    let events = vec![frame(object, "delta", &message, &Value::Null), last];
    (whole, events)
}

fn responses(say: &Say) -> (Value, Vec<Value>) {
    let item = match say {
        Say::Text(text) => json!({
            "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        }),
        Say::Call { id, call } => json!({
            "type": "function_call", "id": "fc_1", "call_id": id, "status": "completed",
            "name": call.name, "arguments": call.arguments.to_string(),
        }),
    };
    let (input, output) = USAGE;
    let mut response = json!({
        "id": "resp_1", "object": "response", "created_at": 1, "model": "scripted",
        "status": "completed", "output": [item],
        "usage": {
            "input_tokens": input, "output_tokens": output, "total_tokens": input + output,
            "input_tokens_details": { "cached_tokens": 0 },
            "output_tokens_details": { "reasoning_tokens": 0 },
        },
    });
    let completed = json!({ "type": "response.completed", "response": response });
    let done = json!({ "type": "response.output_item.done", "output_index": 0, "item": item });
    let whole = response.clone();
    response["status"] = json!("in_progress");
    response["output"] = json!([]);
    let created = json!({ "type": "response.created", "response": response });
    (whole, vec![created, done, completed])
}

fn messages(say: &Say) -> (Value, Vec<Value>) {
    let (block, empty, delta, reason) = match say {
        Say::Text(text) => (
            json!({ "type": "text", "text": text }),
            json!({ "type": "text", "text": "" }),
            json!({ "type": "text_delta", "text": text }),
            "end_turn",
        ),
        Say::Call { id, call } => (
            json!({ "type": "tool_use", "id": id, "name": call.name, "input": call.arguments }),
            json!({ "type": "tool_use", "id": id, "name": call.name, "input": {} }),
            json!({ "type": "input_json_delta", "partial_json": call.arguments.to_string() }),
            "tool_use",
        ),
    };
    let (input, output) = USAGE;
    let usage = json!({ "input_tokens": input, "output_tokens": output });
    let message = |content: Value, reason: Value| {
        json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
            "content": content, "stop_reason": reason, "stop_sequence": null, "usage": usage,
        })
    };
    let whole = message(json!([block]), json!(reason));
    let events = vec![
        json!({ "type": "message_start", "message": message(json!([]), Value::Null) }),
        json!({ "type": "content_block_start", "index": 0, "content_block": empty }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({
            "type": "message_delta", "usage": usage,
            "delta": { "stop_reason": reason, "stop_sequence": null },
        }),
        json!({ "type": "message_stop" }),
    ];
    (whole, events)
}
