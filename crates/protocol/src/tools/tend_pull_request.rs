//! Starts a run that brings forward a pull request which someone else opened.

use super::workflow::{TendUntil, WorkflowMode};
use crate::request::{optional, request, required, text_of_at_least, word};

request! {
    pub struct TendPullRequestInput, unknown keys Refused {
        /// The pull request: its number, `owner/repo#12` or its URL.
        pr: String = required(text_of_at_least(1)),
        /// `owner/name`, the repository's URL or the folder of a checkout on this machine (default: the
        /// checkout that baton was started in).
        repository: Option<String> = optional(text_of_at_least(1)),
        /// How far it goes: `ready`, until nothing stands in the way of a merge; `merge` (default: `ready`).
        until: Option<TendUntil> = optional(word()),
        /// The coding agent that writes (default: as configured, else the first that is installed).
        agent: Option<String> = optional(text_of_at_least(1)),
        /// When a person is asked, as for `start_workflow`.
        mode: Option<WorkflowMode> = optional(word()),
    }
}
