use std::pin::Pin;

use baton_protocol::tools::analyze_pr_impact::AnalyzePrImpactOutput;
use baton_protocol::tools::check_merge_readiness::CheckMergeReadinessOutput;
use baton_protocol::tools::detect_merge_conflicts::DetectMergeConflictsOutput;
use baton_protocol::tools::find_unresolved_comments::FindUnresolvedCommentsOutput;
use baton_protocol::tools::get_failing_tests::GetFailingTestsOutput;
use baton_protocol::tools::get_review_suggestions::GetReviewSuggestionsOutput;
use baton_protocol::tools::manage_stacked_prs::ManageStackedPrsOutput;
use baton_protocol::tools::resolve_review_thread::ResolveReviewThreadOutput;
use baton_protocol::tools::restack::RestackOutput;
use serde_json::Value;

use super::desk::Desk;
use super::trouble::ToolError;
use super::{
    failing_tests, impact, merge_conflicts, readiness, resolve_thread, restack, review,
    stacked_prs, unresolved_comments,
};

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

/// All tools, in the order of the contract; behind them those that act.
pub static TOOLS: &[&Tool] = &[
    &failing_tests::TOOL,
    &unresolved_comments::TOOL,
    &stacked_prs::TOOL,
    &merge_conflicts::TOOL,
    &readiness::TOOL,
    &impact::TOOL,
    &review::TOOL,
    &resolve_thread::TOOL,
    &restack::TOOL,
];

pub fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().copied().find(|tool| tool.name == name)
}

/// What an input names as pull requests, as the caller wrote it: its field
/// `pr`, and those that end in `_pr`.
pub fn references(input: &Value) -> Vec<&str> {
    let fields = input.as_object().into_iter().flatten();
    fields
        .filter(|(name, _)| *name == "pr" || name.ends_with("_pr"))
        .filter_map(|(_, value)| value.as_str())
        .collect()
}

impl Tool {
    /// A commit can be named in place of a pull request: `owner/repo@` and its
    /// full id.
    pub fn takes_commits(&self) -> bool {
        self.name == failing_tests::TOOL.name
    }

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
    UnresolvedComments(Box<FindUnresolvedCommentsOutput>),
    StackedPrs(Box<ManageStackedPrsOutput>),
    MergeConflicts(Box<DetectMergeConflictsOutput>),
    MergeReadiness(Box<CheckMergeReadinessOutput>),
    PrImpact(Box<AnalyzePrImpactOutput>),
    ReviewSuggestions(Box<GetReviewSuggestionsOutput>),
    ResolvedThread(Box<ResolveReviewThreadOutput>),
    Restack(Box<RestackOutput>),
}

impl Answer {
    /// The output of the contract.
    pub fn to_json(&self) -> Value {
        let json = match self {
            Self::FailingTests(output) => serde_json::to_value(output),
            Self::UnresolvedComments(output) => serde_json::to_value(output),
            Self::StackedPrs(output) => serde_json::to_value(output),
            Self::MergeConflicts(output) => serde_json::to_value(output),
            Self::MergeReadiness(output) => serde_json::to_value(output),
            Self::PrImpact(output) => serde_json::to_value(output),
            Self::ReviewSuggestions(output) => serde_json::to_value(output),
            Self::ResolvedThread(output) => serde_json::to_value(output),
            Self::Restack(output) => serde_json::to_value(output),
        };
        json.expect("outputs have only string keys")
    }
}
