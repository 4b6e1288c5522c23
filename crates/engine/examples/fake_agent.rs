//! A fake agent that speaks the Agent Client Protocol. Its first argument chooses
//! how it behaves, usually badly. Used by tests.

use std::fs;
use std::io::{BufRead as _, Write as _};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let manner = arguments.first().map_or("honest", String::as_str);
    let mut input = std::io::stdin().lock().lines();
    let mut next = move || -> Option<Value> {
        let line = input.next()?.ok()?;
        serde_json::from_str(&line).ok()
    };
    while let Some(message) = next() {
        let id = message["id"].clone();
        match message["method"].as_str() {
            Some("initialize") => {
                let version = if manner == "newer" { 2 } else { 1 };
                let _ = writeln!(std::io::stdout(), "a line that is no JSON");
                answer(
                    &id,
                    &json!({
                        "protocolVersion": version,
                        "agentCapabilities": { "loadSession": manner != "forgetful" },
                    }),
                );
            }
            Some("session/new") if manner == "logged-out" => {
                send(
                    &json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32000, "message": "Authentication required" } }),
                );
            }
            Some("session/new") => {
                note("new");
                answer(&id, &json!({ "sessionId": "fake-1" }));
            }
            Some("session/load") if manner == "amnesic" => {
                note("load");
                send(
                    &json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32602, "message": "Session not found" } }),
                );
            }
            Some("session/load") => {
                note("load");
                update(
                    &json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "(an old story)" } }),
                );
                update(&json!({ "sessionUpdate": "tool_call", "title": "(an old edit)" }));
                answer(&id, &Value::Null);
            }
            Some("session/prompt") => {
                if let Some(code) = work(manner, &id, &mut next) {
                    return code;
                }
            }
            _ => {}
        }
    }
    note("left");
    ExitCode::SUCCESS
}

/// Behaves as `manner` asks. Returns an exit code if the agent exits at once.
fn work(manner: &str, prompt: &Value, next: &mut dyn FnMut() -> Option<Value>) -> Option<ExitCode> {
    match manner {
        "liar" | "logged-out" => say("Done."),
        "hanging" => sleep(Duration::from_mins(10)),
        "flooding" => loop {
            send(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": {} }));
        },
        "one-long-line" => {
            let mut out = std::io::stdout().lock();
            let block = vec![b'x'; 1 << 20];
            for _ in 0..16 {
                out.write_all(&block).ok()?;
            }
            out.write_all(b"\n").ok()?;
            drop(out);
            edit();
        }
        "crashing" => return Some(ExitCode::from(3)),
        "stopping" => {
            stop(prompt, "max_tokens");
            return None;
        }
        "cancellable" => {
            edit();
            // Until the cancellation comes.
            while next()?["method"] != "session/cancel" {}
            note("cancelled");
            stop(prompt, "cancelled");
            return None;
        }
        _ => {
            let wanted = ask_permission(next)?;
            note(&format!("permission {wanted}"));
            if wanted == "allow" || manner == "disobedient" {
                edit();
            }
            say("Done.");
        }
    }
    if manner == "quick" {
        stop(prompt, "end_turn");
        return Some(ExitCode::SUCCESS);
    }
    stop(prompt, "end_turn");
    None
}

fn ask_permission(next: &mut dyn FnMut() -> Option<Value>) -> Option<String> {
    update(&json!({ "sessionUpdate": "tool_call", "title": "Edit agent.txt" }));
    send(&json!({
        "jsonrpc": "2.0", "id": "p-1", "method": "session/request_permission",
        "params": {
            "toolCall": { "kind": "edit" },
            // The first and the last are traps for clients that choose by
            // position.
            "options": [
                { "optionId": "never", "name": "Allow", "kind": "reject_always" },
                { "optionId": "allow", "name": "No", "kind": "allow_once" },
                { "optionId": "deny", "name": "Yes", "kind": "reject_once" },
                { "optionId": "everything", "name": "OK", "kind": "allow_always" },
            ],
        },
    }));
    let answer = next()?;
    Some(
        answer["result"]["outcome"]["optionId"]
            .as_str()
            .unwrap_or("nothing")
            .to_owned(),
    )
}

fn edit() {
    let _ = fs::write("agent.txt", "the agent was here\n");
}

/// Leaves a line for the test to find, outside the worktree.
fn note(text: &str) {
    if let Ok(mut file) = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open("../notes")
    {
        let _ = writeln!(file, "{text}");
    }
}

fn say(text: &str) {
    update(
        &json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } }),
    );
    update(
        &json!({ "sessionUpdate": "usage_update", "used": 10, "size": 100, "cost": { "amount": 0.25, "currency": "USD" } }),
    );
}

fn stop(prompt: &Value, reason: &str) {
    answer(
        prompt,
        &json!({ "stopReason": reason, "usage": { "inputTokens": 12, "outputTokens": 3 } }),
    );
}

fn update(update: &Value) {
    let params = json!({ "sessionId": "fake-1", "update": update });
    send(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }));
}

fn answer(id: &Value, result: &Value) {
    send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
}

fn send(message: &Value) {
    let mut out = std::io::stdout().lock();
    // A closed pipe is fine: the agent is about to be ended.
    let _ = writeln!(out, "{message}");
    let _ = out.flush();
}
