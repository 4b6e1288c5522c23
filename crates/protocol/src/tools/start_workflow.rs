//! Starts a run that carries work from an issue to a merged pull request.

use super::workflow::{WorkflowMode, WorkflowUntil};
use crate::request::{optional, request, required, text_of_at_least, word};

request! {
    pub struct StartWorkflowInput, unknown keys Refused {
        /// What is wanted, in words; or the number, `owner/repo#12` or URL of an issue that says it.
        request: String = required(text_of_at_least(1)),
        /// `owner/name`, the repository's URL or the folder of a checkout on this machine (default: the
        /// checkout that baton was started in).
        repository: Option<String> = optional(text_of_at_least(1)),
        /// The coding agent that writes, such as `claude` or `codex` (default: as configured, else the
        /// first that is installed).
        agent: Option<String> = optional(text_of_at_least(1)),
        /// When a person is asked: `autonomous`, only when the run cannot go on without an answer; `semi`, also before
        /// the pull request and before the merge; `supervised`, before every pass (default: as configured, else
        /// `autonomous`).
        mode: Option<WorkflowMode> = optional(word()),
        /// How far it goes: `pr`, until the pull request is open, as a draft; `ready`, until it is reviewed and
        /// validated; `merge` (default: `merge`, or `ready` where `run.merge` leaves the merge to people).
        until: Option<WorkflowUntil> = optional(word()),
        /// The branch to merge into (default: the repository's default branch).
        base_branch: Option<String> = optional(text_of_at_least(1)),
    }
}
