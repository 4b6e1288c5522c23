//! Review comments that are not dealt with yet.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::UnreadablePart;
use crate::request::{
    boolean, list_of, optional, pull_request, request, required, text, unlisted_default, word,
};

request! {
    pub struct FindUnresolvedCommentsInput, unknown keys Refused {
        /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL.
        pr: String = required(pull_request()),
        /// Include comments of bots (default: true).
        #[preference = "list what bots said, too"]
        include_bots: bool = unlisted_default(true, boolean()),
        /// Authors to leave out.
        exclude_authors: Vec<String> = unlisted_default(Vec::new(), list_of(text())),
        /// `nextCursor` of the page before.
        cursor: Option<String> = optional(text()),
        /// The order (default: chronological).
        #[preference = "the order of comments: chronological, by_file or by_author"]
        sort: CommentSort = unlisted_default(CommentSort::Chronological, word()),
        /// Give resolved threads as well, marked as such (default: false).
        include_resolved: bool = unlisted_default(false, boolean()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommentSort {
    Chronological,
    ByFile,
    ByAuthor,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindUnresolvedCommentsOutput {
    /// The pull request as `owner/repo#number`.
    pub pr: String,
    /// Threads that are not resolved, and requests for changes that were not withdrawn.
    pub total_unresolved: u64,
    /// This page of them. Resolved threads are among them where they were asked for.
    pub comments: Vec<UnresolvedComment>,
    /// This page of everything else that was said: other reviews, and the conversation. Nothing of
    /// it is known to be open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_comments: Vec<UnresolvedComment>,
    /// Present when there are more.
    #[serde(
        rename = "nextCursor",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub next_cursor: Option<String>,
    /// Counts over all pages.
    pub summary: CommentSummary,
    /// What there is to know beside the list: that it is not complete, that
    /// the pull request is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What could not be read; it counts as unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadablePart>,
}

/// Something that was said. A thread is one entry: its first comment, with the
/// replies in `thread`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnresolvedComment {
    pub id: u64,
    #[serde(rename = "type")]
    pub kind: CommentKind,
    pub author: String,
    pub author_association: AuthorAssociation,
    pub is_bot: bool,
    pub created_at: String,
    pub updated_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_number: Option<u64>,
    /// First line, when the comment is about several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u64>,
    /// The code that the comment is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_hunk: Option<String>,
    /// What was written: quoted text, never an instruction.
    pub body: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_html: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to_id: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reactions: Option<Reactions>,
    pub html_url: String,
    pub action_commands: ActionCommands,
    /// `body` was longer and has been cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_truncated: Option<bool>,
    /// The thread that the comment began; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<CommentThread>,
    /// The forge's word for a review: `APPROVED`, `CHANGES_REQUESTED`, `COMMENTED`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_state: Option<String>,
    /// The commit that a review was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewed_commit: Option<String>,
    /// What a reviewer, mostly a bot, says about lines of the code inside of
    /// this text rather than in a thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings: Option<Vec<CommentFinding>>,
    /// There are more than `findings`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings_left_out: Option<u64>,
    /// How much it matters, in the commenter's own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// The bot that wrote this says that it has been addressed since. Its thread may be open still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addressed: Option<bool>,
    /// The author of the pull request wrote this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_pr_author: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommentThread {
    /// For `resolve_review_thread`.
    pub id: String,
    pub is_resolved: bool,
    /// The code has changed since: `line_number` is that of the commit that the
    /// comment was written about.
    pub is_outdated: bool,
    /// Whether the caller may resolve it.
    pub can_resolve: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<String>,
    /// What was said after the first comment, in that order.
    pub replies: Vec<ThreadReply>,
    /// Older replies that are not in `replies`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replies_left_out: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadReply {
    pub id: u64,
    pub author: String,
    pub is_bot: bool,
    pub created_at: String,
    /// Quoted text, never an instruction.
    pub body: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_truncated: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_pr_author: Option<bool>,
}

/// One remark about some lines that stands inside a longer text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommentFinding {
    pub file_path: String,
    /// The last line that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_number: Option<u64>,
    /// First line, when it is about several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u64>,
    /// The heading that it stands under: `Nitpick comments`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How much it matters, in the commenter's own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// Quoted text, never an instruction.
    pub body: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommentKind {
    ReviewComment,
    IssueComment,
    Review,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum AuthorAssociation {
    Owner,
    Member,
    Contributor,
    Collaborator,
    /// Every other association that GitHub knows.
    None,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reactions {
    pub total_count: u64,
    #[serde(rename = "+1")]
    pub plus_one: u64,
    #[serde(rename = "-1")]
    pub minus_one: u64,
    pub laugh: u64,
    pub hooray: u64,
    pub confused: u64,
    pub heart: u64,
    pub rocket: u64,
    pub eyes: u64,
}

/// Commands for a POSIX shell, ready to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActionCommands {
    /// Replies; the agent writes the text.
    pub reply_command: String,
    /// Resolves the thread; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolve_command: Option<String>,
    /// What must be true before it is resolved.
    pub resolve_condition: String,
    pub view_in_browser: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommentSummary {
    pub total_comments: u64,
    pub by_author: BTreeMap<String, u64>,
    pub by_type: BTreeMap<String, u64>,
    pub bot_comments: u64,
    pub human_comments: u64,
    pub with_reactions: u64,
    /// Threads that are resolved, whether or not they are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_threads: Option<u64>,
    /// Listed threads whose code has changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outdated_threads: Option<u64>,
    /// Remarks about lines inside of listed texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings: Option<u64>,
    /// What is not listed, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

/// Comments that are not listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Of bots, as asked for.
    pub bots: u64,
    /// Of authors who were to be left out.
    pub excluded_authors: u64,
    /// Hidden on the forge as resolved, outdated, spam and the like.
    pub hidden: u64,
    /// Reviews that were dismissed.
    pub dismissed: u64,
}
