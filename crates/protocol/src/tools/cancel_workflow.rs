//! Ends a run early: what is under way is stopped, and what it holds is let go.

use crate::request::{optional, request, required, text, text_of_at_least};

request! {
    pub struct CancelWorkflowInput, unknown keys Refused {
        /// The run, as `start_workflow` named it; its beginning is enough where it is the only one.
        run: String = required(text_of_at_least(1)),
        /// Why, for those who look at the run later.
        reason: Option<String> = optional(text()),
    }
}
