//! A run of the workflow, as those who started it see it: what it is about, how
//! far it has come, what it asks, what it has cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One run, from an issue to a merged pull request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Workflow {
    /// Names the run. It stays valid when the client, the server or the machine
    /// is started again.
    pub run: String,
    /// What is wanted, in the words of the user.
    pub request: String,
    /// `owner/name`.
    pub repository: String,
    pub status: WorkflowStatus,
    /// A living process drives the run. Without one it goes on with `baton
    /// resume RUN`.
    pub driven: bool,
    pub mode: WorkflowMode,
    pub until: WorkflowUntil,
    /// The coding agent that writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// RFC 3339, in UTC.
    pub created: String,
    /// When something last happened.
    pub changed: String,
    /// The step that is under way, or that the run goes on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<WorkflowStep>,
    /// What only a person can decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<WorkflowQuestion>,
    /// How it ended, where it did not end with a merge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<WorkflowEnding>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_url: Option<String>,
    /// The work's passes from agent to agent, oldest first.
    pub handoffs: Vec<WorkflowHandoff>,
    pub usage: WorkflowUsage,
    pub budget: WorkflowBudget,
    /// What to do now, in a sentence.
    pub next: String,
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkflowStatus {
    Created,
    Preparing,
    Implementing,
    InReview,
    Fixing,
    Validating,
    Merging,
    /// Merged, and the issue is closed: the end.
    Closed,
    /// Something outside has to happen first.
    Blocked,
    /// A person has to answer first.
    Waiting,
    /// As far as it was to go, which is not the merge: the end.
    Done,
    /// The end.
    Failed,
    /// The end.
    Cancelled,
}

impl WorkflowStatus {
    pub fn has_ended(self) -> bool {
        matches!(
            self,
            Self::Closed | Self::Done | Self::Failed | Self::Cancelled
        )
    }
}

/// When a person is asked: `autonomous`, only when the run cannot go on without
/// an answer; `semi`, also before the pull request and before the merge;
/// `supervised`, before every pass.
// Described here: described variants are alternatives in the schema, which not
// all models' APIs take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkflowMode {
    Autonomous,
    Semi,
    Supervised,
}

/// How far a run goes: `pr`, until the pull request is open, as a draft; `ready`, until it is
/// reviewed and validated; `merge`, until it is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkflowUntil {
    Pr,
    Ready,
    Merge,
}

/// How far a pull request is brought that is open already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TendUntil {
    Ready,
    Merge,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowStep {
    /// `implement`, `review` and the like.
    pub name: String,
    /// Whose step it is: `reviewer-agent` and the like.
    pub agent: String,
    /// From 1 on.
    pub attempt: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowQuestion {
    /// Why the run asks.
    pub text: String,
    pub options: Vec<WorkflowOption>,
    /// Answers it at a terminal, with the first option.
    pub command: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowOption {
    /// The answer: one character.
    pub choice: String,
    /// What it means.
    pub label: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowEnding {
    pub reason: String,
    /// Why not everything could be cleaned up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_behind: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowHandoff {
    /// Names the step that passed the work on, and the document in the run's
    /// folder: `004-review`.
    pub key: String,
    pub at: String,
    /// `issue-ready`, `changes-requested` and the like.
    pub kind: String,
    /// What is passed on, in a line.
    pub summary: String,
}

/// What was used, as far as agents say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowUsage {
    /// Spent in steps; waiting for a person costs nothing.
    pub active_seconds: u64,
    pub turns: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_dollars: f64,
}

/// What may be used before the run asks. Absent: without limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowBudget {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dollars: Option<f64>,
}
