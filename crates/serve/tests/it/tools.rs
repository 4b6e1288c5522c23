//! Tools that do what a test needs. Some have the names by which the protocol's
//! conformance suite knows them. All have the error response for input and
//! output, which stands for any type of the contract.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use baton_ops::operation::{always, never};
use baton_ops::pulls::PullAccess;
use baton_ops::question::{Choice, Question};
use baton_ops::{
    AnyOperation, Context, Effects, Event, Fault, GitHub, Meta, OpError, Provided, Provider,
};
use baton_protocol::cursor::{self, CursorKey, CursorScope};
use baton_protocol::tools::{ErrorCategory, ErrorResponse};
use baton_protocol::{Field, Problems, Request};
use baton_serve::mcp::{Server, ToolDef};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What `waits` does.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    Began,
    WasCancelled,
}

/// All tools, and the receiver of what `waits` does.
pub(crate) fn server() -> (Server, mpsc::UnboundedReceiver<Waiting>) {
    let (tell, received) = mpsc::unbounded_channel();
    let tools = vec![
        tool("greet", never, greet),
        tool("test_simple_text", never, |_| {
            says("This is a simple text response for testing.")
        }),
        // Which must not be logged to clients that did not ask for it.
        tool("test_logging_tool", never, |_| says("done")),
        tool("test_error_handling", never, |_| fails()),
        tool("test_tool_with_progress", never, progresses),
        tool("bad_cursor", never, bad_cursor),
        tool("big", never, big),
        tool("escapes", never, |_| says("a\u{1b}[31mred\u{202e}")),
        tool("test_elicitation", never, |call| asks(call, 1)),
        tool("test_input_required_result_elicitation", never, |call| {
            asks(call, 1)
        }),
        tool("test_input_required_result_request_state", never, |call| {
            asks(call, 1)
        }),
        tool("test_input_required_result_tampered_state", never, |call| {
            asks(call, 1)
        }),
        tool("test_input_required_result_multi_round", never, |call| {
            asks(call, 2)
        }),
        tool("test_streaming_elicitation", never, |call| asks(call, 1)),
        tool("slow_compute", always, slow_compute),
        tool("failing_job", always, |_| fails()),
        tool("protocol_error_job", always, panics),
        tool("confirm_delete", always, |call| asks(call, 1)),
        tool("waits", never, move |call| waits(call, tell.clone())),
    ];
    (Server::new("1.2.3", tools, context()), received)
}

/// Tests of the protocol need nothing of the world.
struct Nowhere;

impl Provider for Nowhere {
    fn folder(&self) -> &Path {
        Path::new("/")
    }

    fn pulls<'a>(&'a self, _: &'a [&'a str], _: &'a CancellationToken) -> Provided<'a, PullAccess> {
        Box::pin(async { Err(OpError::Cancelled) })
    }

    fn github<'a>(&'a self, _: &'a str, _: &'a CancellationToken) -> Provided<'a, GitHub> {
        Box::pin(async { Err(OpError::Cancelled) })
    }
}

pub(crate) fn context() -> Context {
    Context::new(
        std::iter::empty::<(&str, &str)>().collect(),
        Arc::new(Nowhere),
    )
}

/// Any JSON.
struct Anything(Value);

impl Request for Anything {
    const MESSAGES: &'static [(&'static str, &'static str)] = &[];

    fn read(value: &Value) -> Result<Self, Problems> {
        Ok(Self(value.clone()))
    }

    fn defaults() -> Self {
        Self(Value::Null)
    }

    fn fields() -> Vec<Field> {
        Vec::new()
    }
}

pub(crate) type Running = Pin<Box<dyn Future<Output = Result<Value, OpError>> + Send>>;

/// A call as the tools here get it.
pub(crate) struct Call {
    pub(crate) input: Value,
    cx: Context,
}

pub(crate) fn tool(
    name: &'static str,
    may_last: fn(&Value) -> bool,
    run: impl Fn(Call) -> Running + Send + Sync + 'static,
) -> ToolDef {
    let meta = Meta {
        name,
        title: "A tool",
        about: "Does what a test needs",
        description: "Does what a test needs.",
        input: "error",
        output: "error",
        effects: Effects::READ_ONLY,
        may_last,
    };
    let run = Arc::new(run);
    AnyOperation::new(meta, move |cx, Anything(input)| run(Call { input, cx })).into()
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
    Box::pin(async move { Err(OpError::new(Fault::Remote, response)) })
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
            Err(bad) => Err(OpError::BadCursor(bad)),
        }
    })
}

fn big(_: Call) -> Running {
    let items: Vec<Value> = (0..10_000).map(|n| json!({ "n": n })).collect();
    let mut value = json!({ "error": "é".repeat(50_000), "category": "user" });
    value["details"] = json!({ "items": items });
    Box::pin(async move { Ok(value) })
}

fn progresses(call: Call) -> Running {
    Box::pin(async move {
        for percent in [0, 50, 100] {
            let message = format!("{percent}\u{1b}[1m %\nof it");
            call.cx.events.emit(Event::Message(&message));
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(output("told"))
    })
}

/// Asks several times.
fn asks(call: Call, times: usize) -> Running {
    Box::pin(async move {
        let mut answers = Vec::new();
        for _ in 0..times {
            answers.push(call.cx.questions.ask(&question()).await);
        }
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
            () = call.cx.cancel.cancelled() => Err(OpError::Cancelled),
            () = tokio::time::sleep(Duration::from_secs(seconds)) => Ok(output("computed")),
        }
    })
}

/// Runs until it is cancelled, which it reports.
fn waits(call: Call, tell: mpsc::UnboundedSender<Waiting>) -> Running {
    Box::pin(async move {
        tell.send(Waiting::Began).unwrap();
        call.cx.cancel.cancelled().await;
        tell.send(Waiting::WasCancelled).unwrap();
        Err(OpError::Cancelled)
    })
}

/// Tools that only have these names.
pub(crate) fn named(names: &[&'static str]) -> Vec<ToolDef> {
    let tool = |name: &&'static str| tool(name, never, |_| says("done"));
    names.iter().map(tool).collect()
}
