//! Tools that do what a test needs. Some have the names by which the protocol's
//! conformance suite knows them. All have the error response for input and
//! output, which stands for any type of the contract.

use std::sync::Arc;
use std::time::Duration;

use baton_ops::question::{Ask as _, Choice, Question};
use baton_protocol::cursor::{self, CursorKey, CursorScope};
use baton_protocol::tools::{ErrorCategory, ErrorResponse};
use baton_serve::mcp::{Call, Failure, Hints, Offer, Outcome, Server};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// What `waits` does.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    Began,
    WasCancelled,
}

/// All tools, and the receiver of what `waits` does.
pub(crate) fn server() -> (Server, mpsc::UnboundedReceiver<Waiting>) {
    let (tell, received) = mpsc::unbounded_channel();
    let offers = vec![
        offer("greet", quick, greet),
        offer("test_simple_text", quick, |_| {
            says("This is a simple text response for testing.")
        }),
        // Which must not be logged to clients that did not ask for it.
        offer("test_logging_tool", quick, |_| says("done")),
        offer("test_error_handling", quick, |_| fails()),
        offer("test_tool_with_progress", quick, progresses),
        offer("bad_cursor", quick, bad_cursor),
        offer("big", quick, big),
        offer("escapes", quick, |_| says("a\u{1b}[31mred\u{202e}")),
        offer("test_elicitation", quick, |call| asks(call, 1)),
        offer("test_input_required_result_elicitation", quick, |call| {
            asks(call, 1)
        }),
        offer("test_input_required_result_request_state", quick, |call| {
            asks(call, 1)
        }),
        offer("test_input_required_result_tampered_state", quick, |call| {
            asks(call, 1)
        }),
        offer("test_input_required_result_multi_round", quick, |call| {
            asks(call, 2)
        }),
        offer("test_streaming_elicitation", quick, |call| asks(call, 1)),
        offer("slow_compute", lasting, slow_compute),
        offer("failing_job", lasting, |_| fails()),
        offer("protocol_error_job", lasting, panics),
        offer("confirm_delete", lasting, |call| asks(call, 1)),
        offer("waits", quick, move |call| waits(call, tell.clone())),
    ];
    (Server::new("1.2.3", offers), received)
}

type Running = std::pin::Pin<Box<dyn Future<Output = Outcome> + Send>>;

fn offer(
    name: &'static str,
    may_last: fn(&Value) -> bool,
    run: impl Fn(Call) -> Running + Send + Sync + 'static,
) -> Offer {
    Offer {
        name,
        title: "A tool",
        description: "Does what a test needs.",
        input: Offer::entry("error"),
        output: Offer::entry("error"),
        hints: Hints::READ_ONLY,
        may_last,
        run: Arc::new(run),
        durable: None,
    }
}

fn quick(_: &Value) -> bool {
    false
}

fn lasting(_: &Value) -> bool {
    true
}

/// An output with this text in it.
fn output(text: &str) -> Value {
    json!({ "error": text, "category": "user" })
}

fn says(text: &'static str) -> Running {
    Box::pin(async move { Ok(output(text)) })
}

#[expect(clippy::needless_pass_by_value, reason = "the form of every tool")]
fn greet(call: Call) -> Running {
    let name = call.input["name"].as_str().unwrap_or("you").to_owned();
    Box::pin(async move { Ok(output(&format!("Hello, {name}!"))) })
}

fn fails() -> Running {
    let response = ErrorResponse::new(ErrorCategory::Api, "GitHub said\u{1b}[2J no")
        .suggest("Try again later.");
    let response = ErrorResponse {
        retry_after: Some(30),
        ..response
    };
    Box::pin(async move { Err(Failure::Failed(Box::new(response))) })
}

fn panics(_: Call) -> Running {
    Box::pin(async { panic!("on purpose") })
}

#[expect(clippy::needless_pass_by_value, reason = "the form of every tool")]
fn bad_cursor(call: Call) -> Running {
    let scope = CursorScope::new("bad_cursor", &json!({}));
    let given = call.input["cursor"].as_str().unwrap_or_default().to_owned();
    let redeemed = cursor::redeem(&CursorKey::new([1; 32]), &scope, &given);
    Box::pin(async move {
        match redeemed {
            Ok(_) => Ok(output("fine")),
            Err(bad) => Err(Failure::BadCursor(bad)),
        }
    })
}

fn big(_: Call) -> Running {
    let items: Vec<Value> = (0..10_000).map(|n| json!({ "n": n })).collect();
    let mut value = output(&"é".repeat(50_000));
    value["details"] = json!({ "items": items });
    Box::pin(async move { Ok(value) })
}

fn progresses(call: Call) -> Running {
    Box::pin(async move {
        for percent in [0, 50, 100] {
            call.telling.tell(format!("{percent}\u{1b}[1m %\nof it"));
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(output("told"))
    })
}

/// Asks several times, in a thread of its own as operations that ask do.
fn asks(call: Call, times: usize) -> Running {
    Box::pin(async move {
        let mut questions = call.questions;
        let answers = tokio::task::spawn_blocking(move || {
            let answers = (0..times).map(|_| questions.ask(&question()));
            answers.collect::<Vec<_>>()
        });
        let answers = answers.await.unwrap();
        Ok(output(&format!("state-ok {answers:?}")))
    })
}

pub(crate) fn question() -> Question {
    let option = |key, label: &str| Choice {
        key,
        label: label.to_owned(),
    };
    Question {
        text: "Tests fail. What now?".to_owned(),
        options: vec![option('r', "Retry again"), option('s', "Skip")],
    }
}

fn slow_compute(call: Call) -> Running {
    let seconds = call.input["seconds"].as_u64().unwrap_or(1);
    Box::pin(async move {
        tokio::select! {
            () = call.cancel.cancelled() => Err(Failure::Cancelled),
            () = tokio::time::sleep(Duration::from_secs(seconds)) => Ok(output("computed")),
        }
    })
}

/// Runs until it is cancelled, which it reports.
fn waits(call: Call, tell: mpsc::UnboundedSender<Waiting>) -> Running {
    Box::pin(async move {
        tell.send(Waiting::Began).unwrap();
        call.cancel.cancelled().await;
        tell.send(Waiting::WasCancelled).unwrap();
        Err(Failure::Cancelled)
    })
}

/// Tools that only have these names.
pub(crate) fn named(names: &[&'static str]) -> Vec<Offer> {
    let offer = |name: &&'static str| offer(name, quick, |_| says("done"));
    names.iter().map(offer).collect()
}
