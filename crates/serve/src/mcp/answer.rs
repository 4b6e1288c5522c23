//! The result of a call: the output as structured content, as text, or as both,
//! as the client needs it.

use std::fmt::Write as _;

use baton_ops::OpError;
use baton_protocol::tools::{ErrorCategory, ErrorResponse};
use rmcp::model::{CallToolResult, ContentBlock, ErrorData, MetaObject};
use serde_json::Value;

use super::answer_form::AnswerForm;
use super::budget;
use super::outline;
use super::tool_def::{Failure, Outcome};

/// In bytes of JSON. Clients cut what takes more than some 25,000 tokens, and
/// warn well before.
pub const MAX_ANSWER_BYTES: usize = 60_000;

/// Where a result reports what was left out of it.
const TRUNCATED: &str = "baton/truncated";

pub(super) fn result(outcome: Outcome, form: AnswerForm) -> Result<CallToolResult, ErrorData> {
    match outcome {
        Ok(output) => Ok(success(output, form)),
        Err(Failure::Operation(OpError::Failed { response, .. })) => Ok(error(&response, form)),
        Err(Failure::Operation(OpError::BadCursor(bad))) => {
            Err(ErrorData::invalid_params(bad.to_string(), None))
        }
        Err(Failure::Operation(OpError::Cancelled)) => Err(cancelled()),
        Err(Failure::Panicked) => Err(panicked()),
    }
}

/// The error of a request that has no result for a failure.
pub(super) fn request_error(error: OpError) -> ErrorData {
    match error {
        OpError::Failed { response, .. } => {
            ErrorData::internal_error(outline::block(&in_words(&response)), None)
        }
        OpError::BadCursor(bad) => ErrorData::invalid_params(bad.to_string(), None),
        OpError::Cancelled => cancelled(),
    }
}

/// Failed work, with its output.
pub(super) fn failed_work(reason: &str, output: Value) -> ErrorData {
    let output = budget::fit(output, MAX_ANSWER_BYTES).map(|fitted| fitted.value);
    ErrorData::internal_error(outline::block(reason), output)
}

/// It is never read, because a client that cancels does not wait.
pub(super) fn cancelled() -> ErrorData {
    ErrorData::internal_error("the call was cancelled", None)
}

fn panicked() -> ErrorData {
    ErrorData::internal_error(
        "the tool broke off because of a mistake in baton; its log has the details",
        None,
    )
}

fn success(output: Value, form: AnswerForm) -> CallToolResult {
    let Some(fitted) = budget::fit(output, MAX_ANSWER_BYTES) else {
        let response = ErrorResponse::new(
            ErrorCategory::Logical,
            format!("The answer is larger than {MAX_ANSWER_BYTES} bytes."),
        )
        .suggest("Ask for less: leave details out, or name fewer things.");
        return error(&response, form);
    };
    let text = match form {
        AnswerForm::Structured => outline::render(&fitted.value),
        AnswerForm::Text | AnswerForm::Both => outline::harmless(&fitted.value.to_string()),
    };
    let left_out = fitted.left_out();
    let texts = [text].into_iter().chain(left_out);
    let mut result = CallToolResult::success(texts.map(ContentBlock::text).collect());
    if !fitted.notes.is_empty() {
        let mut meta = MetaObject::new();
        meta.0.insert(TRUNCATED.to_owned(), fitted.notes.into());
        result.meta = Some(meta);
    }
    if form != AnswerForm::Text {
        result.structured_content = Some(fitted.value);
    }
    result
}

fn error(response: &ErrorResponse, form: AnswerForm) -> CallToolResult {
    let text = format!("Error: {}", in_words(response));
    let value = serde_json::to_value(response).expect("an error response is plain data");
    let mut result = CallToolResult::error(vec![ContentBlock::text(outline::block(&text))]);
    if form != AnswerForm::Text {
        result.structured_content = budget::fit(value, MAX_ANSWER_BYTES).map(|fitted| fitted.value);
    }
    result
}

fn in_words(response: &ErrorResponse) -> String {
    let mut text = response.error.clone();
    if let Some(suggestion) = &response.suggestion {
        text += "\nWhat to do: ";
        text += suggestion;
    }
    if let Some(seconds) = response.retry_after {
        write!(text, "\nTry again in {seconds} seconds.").expect("a string takes all text");
    }
    text
}
