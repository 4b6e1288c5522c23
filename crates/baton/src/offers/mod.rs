//! What baton offers to agents, wired to this machine: one file per operation
//! that is no pull-request tool.

mod create_pull_request;
mod detect_project;
mod read_test_report;
mod review_change;
mod run_tests;
mod validate_change;
mod workflows;

use std::sync::Arc;

use baton_protocol::Problems;
use baton_protocol::tools::{ErrorCategory, ErrorResponse};
use baton_serve::mcp::pulls::{self, MakeDesk, Wanted};
use baton_serve::mcp::{Failure, Outcome, Server};

use crate::error::CommandError;
use crate::github::{Caller, Desks};
use crate::preferences::Preferences;
use crate::session::Session;

/// The MCP server with everything that this version can do; with `workflows`,
/// also with what starts and steers runs.
pub(crate) fn server(session: &Session, workflows: bool) -> Result<Server, CommandError> {
    let preferences = Preferences::of(&session.config()?);
    let mut offers = pulls::offers(&make_desk(Desks::new(session)?));
    let session = Arc::new(session.clone());
    offers.push(run_tests::offer(session.clone()));
    offers.push(review_change::offer(session.clone()));
    offers.push(validate_change::offer(session.clone()));
    offers.push(create_pull_request::offer(session.clone()));
    offers.push(read_test_report::offer());
    offers.push(detect_project::offer(session.clone()));
    if workflows {
        offers.extend(workflows::offers(&session));
    }
    Ok(Server::new(env!("CARGO_PKG_VERSION"), offers)
        .preferring(move |tool, input| preferences.fill(tool, input)))
}

fn make_desk(desks: Desks) -> MakeDesk {
    let desks = Arc::new(desks);
    Arc::new(move |wanted: Wanted| {
        let desks = desks.clone();
        Box::pin(async move {
            let references: Vec<&str> = wanted.references.iter().map(String::as_str).collect();
            let caller = Caller {
                patience: wanted.patience,
                progress: wanted.progress,
                cancel: wanted.cancel,
            };
            desks.desk(&references, caller).await
        })
    })
}

fn invalid(problems: &Problems) -> Failure {
    Failure::Failed(Box::new(ErrorResponse::invalid_input(problems)))
}

/// Something that the caller can mend.
fn refused(error: impl Into<String>, suggestion: impl Into<String>) -> Failure {
    let response = ErrorResponse::new(ErrorCategory::User, error).suggest(suggestion);
    Failure::Failed(Box::new(response))
}

/// A verb's error, in the words of a tool.
fn failed(error: &CommandError) -> Failure {
    let mut response = ErrorResponse::new(ErrorCategory::User, error.in_one_line());
    response.suggestion = error.hints().first().cloned();
    Failure::Failed(Box::new(response))
}

/// Runs work that blocks in a thread of its own.
async fn in_a_thread(work: impl FnOnce() -> Outcome + Send + 'static) -> Outcome {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) if error.is_panic() => Err(Failure::Panicked),
        Err(_) => Err(Failure::Cancelled),
    }
}

/// What most operations are: quick.
fn never_lasts(_: &serde_json::Value) -> bool {
    false
}

/// `NAME` of the contract as JSON.
fn to_json(output: &impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(output).expect("outputs have only string keys")
}
