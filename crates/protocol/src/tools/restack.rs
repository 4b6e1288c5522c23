//! Puts a stack of pull requests on what is below it now, or takes that back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Problems;
use crate::object_reader::{ObjectReader, UnknownKeys, boolean, text};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestackInput {
    /// The lower pull request, which was merged or pushed to.
    pub base_pr: String,
    /// The pull request on top of it; all that stand on it move too.
    pub dependent_pr: String,
    /// The branch or commit to put the stack on (default: found out).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub onto_base: Option<String>,
    /// Only say what would be done (default: false).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// Take the last restack of this pair back (default: false).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<bool>,
    /// A name for this one call: with the same key it is done once, however
    /// often it is asked for (default: made from what is to be done).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl RestackInput {
    pub fn read(value: &Value) -> Result<Self, Problems> {
        let mut reader = ObjectReader::new(value)?;
        let base_pr = reader.required("base_pr", text);
        let dependent_pr = reader.required("dependent_pr", text);
        let onto_base = reader.optional("onto_base", text);
        let dry_run = reader.optional("dry_run", boolean);
        let undo = reader.optional("undo", boolean);
        let key = reader.optional("key", text);
        reader.finish(UnknownKeys::Refused)?;
        Ok(Self {
            base_pr: base_pr.unwrap_or_default(),
            dependent_pr: dependent_pr.unwrap_or_default(),
            onto_base,
            dry_run,
            undo,
            key,
        })
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
