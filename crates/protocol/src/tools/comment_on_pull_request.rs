//! A comment in the conversation of a pull request, or a reply in a thread.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::request::{optional, pull_request, request, required, text, text_of_at_least};

request! {
    pub struct CommentOnPullRequestInput, unknown keys Refused {
        /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL.
        pr: String = required(pull_request()),
        /// What to say, in Markdown.
        body: String = required(text_of_at_least(1)),
        /// The review thread to reply in: its id, or the number or URL of a comment in it (default: the conversation).
        thread: Option<String> = optional(text()),
        /// Names this comment: a second call with the same key says nothing a
        /// second time (default: made from the text and the place).
        key: Option<String> = optional(text()),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommentOnPullRequestOutput {
    /// The pull request as `owner/repo#number`.
    pub pr: String,
    /// The thread's id, for a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The comment.
    pub html_url: String,
    /// This call wrote it; otherwise it was there before.
    pub changed: bool,
    /// The key of this comment.
    pub key: String,
    pub message: String,
}
