//! The operations that people, agents and the pipeline share, and their registry.
//! Each has one shape ([`Operation`]): typed input in, typed output out, events
//! on the way, and a [`Context`] as the only way to the world.
//!
//! Must not know the engine, MCP, an HTTP server or clap.

mod blocking;
mod command_line;
mod context;
mod error;
mod event;
pub mod operation;
pub mod pr;
pub mod project;
pub mod pulls;
pub mod question;
pub mod review;
mod settings;
pub mod test_report;
pub mod testing;
pub mod validation;

pub use baton_remote::github::GitHub;
pub use baton_remote::jira::Jira;
pub use baton_report::plain_text;
pub use context::{Context, PollPolicy, Provided, Provider};
pub use error::{Fault, OpError};
pub use event::{Event, EventSink};
pub use operation::{AnyOperation, Effects, Meta, Operation, Output};
pub use settings::{ConfiguredCommand, Preferred, Settings};

/// The registry: every operation that needs nothing but a context.
pub fn operations() -> Vec<AnyOperation> {
    let mut operations = pull_request_operations();
    operations.extend(project_operations());
    operations
}

/// What is about pull requests on GitHub.
pub fn pull_request_operations() -> Vec<AnyOperation> {
    let mut operations = pulls::operations();
    operations.push(AnyOperation::from_type::<pr::CreatePullRequest>());
    operations
}

/// What is about a project on this machine.
pub fn project_operations() -> Vec<AnyOperation> {
    vec![
        AnyOperation::from_type::<testing::RunTests>(),
        AnyOperation::from_type::<review::ReviewChange>(),
        AnyOperation::from_type::<validation::ValidateChange>(),
        AnyOperation::from_type::<test_report::ReadTestReport>(),
        AnyOperation::from_type::<project::DetectProject>(),
    ]
}
