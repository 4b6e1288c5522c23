//! Puts a stack of pull requests on what is below it now, or takes that back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::request::{boolean, optional, pull_request, request, required, text, unlisted_default};

request! {
    pub struct RestackInput, unknown keys Refused {
        /// The lower pull request, which was merged or pushed to.
        base_pr: String = required(pull_request()),
        /// The pull request on top of it; all that stand on it move too.
        dependent_pr: String = required(pull_request()),
        /// The branch or commit to put the stack on (default: found out).
        onto_base: Option<String> = optional(text()),
        /// The last commit that is not the dependent pull request's own (default: found out).
        cut: Option<String> = optional(text()),
        /// Merge what is below instead of rebasing, without a push by force (default: as the branch is kept).
        merge: Option<bool> = optional(boolean()),
        /// Only say what would be done (default: false).
        dry_run: bool = unlisted_default(false, boolean()),
        /// Take the last restack of this pair back (default: false).
        undo: bool = unlisted_default(false, boolean()),
        /// A name for this one call: with the same key it is done once, however
        /// often it is asked for (default: made from what is to be done).
        key: Option<String> = optional(text()),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RestackOutput {
    pub base_pr: String,
    pub dependent_pr: String,
    pub status: RestackStatus,
    /// What happened, in a sentence.
    pub message: String,
    /// The pull requests that moved, the lowest first.
    pub pull_requests: Vec<RestackedPr>,
    /// Every ref and base branch that moved.
    pub moves: Vec<RestackMove>,
    /// Names what was done, for `undo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Takes it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo_command: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RestackStatus {
    Restacked,
    /// The stack is in order.
    NothingToDo,
    /// It would work; nothing was changed.
    Rehearsed,
    /// Everything is where it was before.
    Undone,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RestackedPr {
    /// `owner/repo#number`.
    pub pr: String,
    pub branch: String,
    /// The last commit that was not its own.
    pub cut: String,
    pub old_head: String,
    pub new_head: String,
    /// Its own commits, the oldest first.
    pub commits: Vec<RestackedCommit>,
    /// What is below was merged into it: its own commits are the same as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<bool>,
    /// Commits of the branch that are not its own, and that what is below no longer has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RestackedCommit {
    pub subject: String,
    pub old: String,
    /// Absent where its change was there already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RestackMove {
    pub place: RestackPlace,
    /// A ref, or for a base branch the pull request.
    pub name: String,
    pub from: String,
    pub to: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RestackPlace {
    /// A branch in the checkout.
    Local,
    /// A branch on the forge.
    Forge,
    /// The branch that a pull request goes to.
    BaseBranch,
}
