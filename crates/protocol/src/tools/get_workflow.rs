//! Where a run stands, and a bounded wait for it to get further.

use crate::request::{integer, request, required, text_of_at_least, unlisted_default};

/// Less than what clients wait for an answer.
const MAX_WAIT_SECONDS: u64 = 45;

request! {
    pub struct GetWorkflowInput, unknown keys Refused {
        /// The run, as `start_workflow` named it; its beginning is enough where it is the only one.
        run: String = required(text_of_at_least(1)),
        /// Wait up to this long for the status to change, or for the run to ask or end (default: 0).
        wait_seconds: u64 = unlisted_default(0, integer(0..=MAX_WAIT_SECONDS)),
    }
}
