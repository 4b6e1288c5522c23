//! Resolving a review thread, for a reason that can be checked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::request::{optional, pull_request, request, required, text};

request! {
    pub struct ResolveReviewThreadInput, unknown keys Refused {
        /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL.
        pr: String = required(pull_request()),
        /// The thread: its id, or the number or URL of a comment in it.
        thread: String = required(text()),
        /// The commit that fixes what the thread is about. It must be in the pull
        /// request now, newer than the comment, and change the commented lines.
        commit: Option<String> = optional(text()),
        /// Why the thread is settled, where no commit shows it. One of `commit` and
        /// `reason` is needed.
        reason: Option<String> = optional(text()),
        /// What to say in the thread, above the evidence.
        reply: Option<String> = optional(text()),
        /// Names this act: a second call with the same key says nothing a second
        /// time (default: made from the thread and the evidence).
        key: Option<String> = optional(text()),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResolveReviewThreadOutput {
    /// The pull request as `owner/repo#number`.
    pub pr: String,
    /// The thread's id.
    pub thread: String,
    /// It is resolved now.
    pub resolved: bool,
    /// This call did it; otherwise it was so before.
    pub changed: bool,
    pub file_path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_number: Option<u64>,
    /// The first comment of the thread.
    pub html_url: String,
    pub evidence: ResolutionEvidence,
    /// What was said in the thread, now or by an earlier call with this key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<String>,
    /// The key of this act.
    pub key: String,
    /// Opens the thread again.
    pub undo_command: String,
    pub message: String,
}

/// Why the thread may be resolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResolutionEvidence {
    pub kind: EvidenceKind,
    /// The pull request's head when it was looked at.
    pub head: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The first line of the commit's message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was found out.
    pub facts: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// A commit of the pull request changes the commented lines.
    FixCommit,
    /// A reason was given.
    Reason,
    /// It was resolved before evidence was given.
    AlreadyResolved,
}
