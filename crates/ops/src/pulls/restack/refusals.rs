//! Why nothing is moved.

use baton_protocol::tools::{ErrorCategory, ErrorResponse};
use serde_json::{Value, json};

use super::super::stacked_prs::{Move, Rehearsal, Survey, first_words};
use crate::error::{Fault, OpError};

pub(super) fn not_stacked(survey: &Survey) -> OpError {
    let (base, dependent) = (survey.base.number, survey.dependent.number);
    let error = if survey.relation.is_stacked() {
        format!("#{dependent} is {}", survey.dependent.standing.as_str())
    } else {
        format!("#{dependent} does not stand on #{base}")
    };
    OpError::logical(
        error,
        "Name the lower pull request as base_pr and an open one on top of it as dependent_pr.",
    )
}

pub(super) fn does_not_fit(survey: &Survey, one: &Move) -> OpError {
    let number = one.member.number;
    let (error, details) = match &one.rehearsal {
        Rehearsal::Conflict { at, subject, files } => (
            format!(
                "{}#{number} has conflicts at {} ({})",
                survey.repository,
                at.short(),
                first_words(subject)
            ),
            json!({ "commit": at.as_str(), "files": files }),
        ),
        Rehearsal::HasMerge { commit, files } => (
            format!(
                "{}#{number} has the merge commit {}, which cannot be recreated like the others",
                survey.repository,
                commit.short()
            ),
            json!({ "commit": commit.as_str(), "files": files }),
        ),
        Rehearsal::Clean { .. } | Rehearsal::NotReached => (
            format!("{}#{number} could not be recreated", survey.repository),
            json!({}),
        ),
    };
    with_details(error, details)
}

pub(super) fn refused(survey: &Survey, one: &Move, objections: &[String]) -> OpError {
    let error = format!(
        "{}#{} would not be what it was: {}",
        survey.repository,
        one.member.number,
        objections.join("; ")
    );
    with_details(error, json!({ "objections": objections }))
}

fn with_details(error: String, details: Value) -> OpError {
    let mut response = ErrorResponse::new(ErrorCategory::Logical, error).suggest(
        "Nothing was moved. Use the commands of manage_stacked_prs and resolve it by hand.",
    );
    if let Value::Object(details) = details {
        response.details = (!details.is_empty()).then_some(details);
    }
    OpError::new(Fault::Caller, response)
}
