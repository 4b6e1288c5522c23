//! The one shape of every operation.

use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;

use baton_protocol::{Field, Request};
use serde::Serialize;
use serde_json::Value;

use crate::context::Context;
use crate::error::OpError;

/// Typed input in, typed output out, events on the way. It is written once and
/// is reachable as a verb, as an MCP tool and from the steps of the workflow.
pub trait Operation: 'static {
    const META: Meta;
    type Input: Request;
    type Output: Output;

    fn run(
        cx: &Context,
        input: Self::Input,
    ) -> impl Future<Output = Result<Self::Output, OpError>> + Send;
}

#[derive(Clone, Copy, Debug)]
pub struct Meta {
    /// As in the contract: `get_failing_tests`.
    pub name: &'static str,
    pub title: &'static str,
    /// For people, in one line.
    pub about: &'static str,
    /// For an agent that has to choose: what it gives and when to call it.
    pub description: &'static str,
    /// The names of input and output among the schemas of the contract.
    pub input: &'static str,
    pub output: &'static str,
    pub effects: Effects,
    /// Whether a call with this input may outlast a client's timeout.
    pub may_last: fn(&Value) -> bool,
}

/// What a call may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "clients ask for each of them, and they are independent"
)]
pub struct Effects {
    pub read_only: bool,
    /// What was there before may be lost.
    pub destructive: bool,
    /// The same call again changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond this machine.
    pub open_world: bool,
}

impl Effects {
    /// Reads on this machine.
    pub const READ_ONLY: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
    };
    /// Reads, also on GitHub.
    pub const READ_REMOTE: Self = Self {
        open_world: true,
        ..Self::READ_ONLY
    };
    /// Changes something on GitHub, once.
    pub const IDEMPOTENT: Self = Self {
        read_only: false,
        ..Self::READ_REMOTE
    };
    /// The same, where something may be lost.
    pub const DESTRUCTIVE: Self = Self {
        destructive: true,
        ..Self::IDEMPOTENT
    };
    /// May do anything that a project's own code, or a coding agent, can do.
    pub const ANYTHING: Self = Self {
        idempotent: false,
        ..Self::DESTRUCTIVE
    };
}

/// For [`Meta::may_last`].
pub fn never(_: &Value) -> bool {
    false
}

/// For [`Meta::may_last`].
pub fn always(_: &Value) -> bool {
    true
}

/// For [`Meta::may_last`]: with `wait`.
pub fn when_waiting(input: &Value) -> bool {
    input.get("wait") == Some(&Value::Bool(true))
}

/// The output of an operation, of any type.
pub trait Output: Any + Send {
    fn to_json(&self) -> Value;
}

impl<T: Serialize + Any + Send> Output for T {
    fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("outputs have only string keys")
    }
}

/// An operation in a list of operations.
#[derive(Clone)]
pub struct AnyOperation {
    pub meta: Meta,
    fields: fn() -> Vec<Field>,
    run: Arc<Run>,
}

type Run = dyn Fn(Context, Value) -> Running + Send + Sync;

pub type Running = Pin<Box<dyn Future<Output = Result<Box<dyn Output>, OpError>> + Send>>;

impl AnyOperation {
    pub fn from_type<O: Operation>() -> Self {
        Self::new(O::META, async |cx: Context, input: O::Input| {
            O::run(&cx, input).await
        })
    }

    /// One that needs more than a context.
    pub fn new<I: Request, O: Output, F>(
        meta: Meta,
        run: impl Fn(Context, I) -> F + Clone + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<O, OpError>> + Send + 'static,
    {
        Self {
            meta,
            fields: I::fields,
            run: Arc::new(move |cx, input| {
                let run = run.clone();
                Box::pin(async move {
                    let input =
                        I::read(&input).map_err(|problems| OpError::invalid_input(&problems))?;
                    let output = run(cx, input).await?;
                    Ok(Box::new(output) as Box<dyn Output>)
                })
            }),
        }
    }

    /// The fields of the input.
    pub fn fields(&self) -> Vec<Field> {
        (self.fields)()
    }

    /// Reads the input and runs the operation.
    pub fn call(&self, cx: Context, input: Value) -> Running {
        (self.run)(cx, input)
    }
}
