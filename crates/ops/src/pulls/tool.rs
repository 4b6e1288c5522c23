use std::pin::Pin;

use baton_protocol::tools::detect_merge_conflicts::DetectMergeConflictsOutput;
use baton_protocol::tools::get_failing_tests::GetFailingTestsOutput;
use serde_json::Value;

use super::desk::Desk;
use super::trouble::ToolError;
use super::{failing_tests, merge_conflicts};

/// A tool as it is offered: to agents, to people, to the workflow.
#[derive(Debug)]
pub struct Tool {
    /// As in the contract: `get_failing_tests`.
    pub name: &'static str,
    pub title: &'static str,
    /// For people, in one line.
    pub about: &'static str,
    /// For an agent that has to choose: what it gives and when to call it.
    pub description: &'static str,
    pub effects: Effects,
    pub(super) run: Run,
}

/// What a call may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effects {
    /// Nothing.
    ReadOnly,
    /// Something, and the same call again changes nothing more.
    Idempotent {
        /// What was there before may be lost.
        destructive: bool,
    },
}

/// The same for all tools, so that they can stand in one list.
pub(super) type Run = for<'a> fn(&'a Desk, &'a Value) -> Running<'a>;
pub(super) type Running<'a> = Pin<Box<dyn Future<Output = Result<Answer, ToolError>> + Send + 'a>>;

/// All tools, in the order of the contract.
pub static TOOLS: &[&Tool] = &[&failing_tests::TOOL, &merge_conflicts::TOOL];

pub fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().copied().find(|tool| tool.name == name)
}

impl Tool {
    /// Reads the input and answers it. Ends early, with
    /// [`ToolError::Cancelled`], when the desk is cancelled.
    pub async fn call(&self, desk: &Desk, input: &Value) -> Result<Answer, ToolError> {
        tokio::select! {
            biased;
            () = desk.cancel.cancelled() => Err(ToolError::Cancelled),
            answer = (self.run)(desk, input) => answer,
        }
    }
}

/// What a tool answered.
#[derive(Clone, Debug)]
pub enum Answer {
    FailingTests(Box<GetFailingTestsOutput>),
    MergeConflicts(Box<DetectMergeConflictsOutput>),
}

impl Answer {
    /// The output of the contract.
    pub fn to_json(&self) -> Value {
        let json = match self {
            Self::FailingTests(output) => serde_json::to_value(output),
            Self::MergeConflicts(output) => serde_json::to_value(output),
        };
        json.expect("outputs have only string keys")
    }
}
