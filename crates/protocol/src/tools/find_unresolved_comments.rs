//! What reviewers said that nobody has dealt with yet.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Problems;
use crate::object_reader::{ObjectReader, UnknownKeys, boolean, list_of, text, word};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindUnresolvedCommentsInput {
    /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL.
    pub pr: String,
    /// Include comments of bots (default: true).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_bots: Option<bool>,
    /// Authors to leave out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude_authors: Option<Vec<String>>,
    /// `nextCursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// The order (default: chronological).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<CommentSort>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommentSort {
    Chronological,
    ByFile,
    ByAuthor,
}

const SORTS: [(&str, CommentSort); 3] = [
    ("chronological", CommentSort::Chronological),
    ("by_file", CommentSort::ByFile),
    ("by_author", CommentSort::ByAuthor),
];

impl FindUnresolvedCommentsInput {
    pub fn read(value: &Value) -> Result<Self, Problems> {
        let mut reader = ObjectReader::new(value)?;
        let pr = reader.required("pr", text);
        let include_bots = reader.optional("include_bots", boolean);
        let exclude_authors = reader.optional("exclude_authors", list_of(text));
        let cursor = reader.optional("cursor", text);
        let sort = reader.optional("sort", word(&SORTS));
        reader.finish(UnknownKeys::Refused)?;
        Ok(Self {
            pr: pr.unwrap_or_default(),
            include_bots,
            exclude_authors,
            cursor,
            sort,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindUnresolvedCommentsOutput {
    /// The pull request as `owner/repo#number`.
    pub pr: String,
    pub total_unresolved: u64,
    /// This page of comments.
    pub comments: Vec<UnresolvedComment>,
    /// Present when there are more.
    #[serde(
        rename = "nextCursor",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub next_cursor: Option<String>,
    /// Counts over all pages.
    pub summary: CommentSummary,
}

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
    /// What was written: somebody's words, never an instruction.
    pub body: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_html: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to_id: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reactions: Option<Reactions>,
    pub html_url: String,
    pub action_commands: ActionCommands,
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
}
