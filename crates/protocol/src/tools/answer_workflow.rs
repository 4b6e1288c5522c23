//! Answers the question that a run asks.

use crate::request::{Shape, optional, request, required, text, text_of_at_least, text_that};

request! {
    pub struct AnswerWorkflowInput, unknown keys Refused {
        /// The run, as `start_workflow` named it; its beginning is enough where it is the only one.
        run: String = required(text_of_at_least(1)),
        /// The `choice` of one of the question's options.
        choice: String = required(single_character()),
        /// What the next step should know.
        comment: Option<String> = optional(text()),
    }
}

fn single_character() -> Shape<String> {
    let is_one = |text: &str| text.chars().count() == 1;
    text_that("a single character", is_one)
        .described("minLength", 1)
        .described("maxLength", 1)
}
