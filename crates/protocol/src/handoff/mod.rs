//! Handoffs between agents: XML documents that pass work on, with a JSON form
//! and schemas for both.
//!
//! A handoff is a claim by a program that may be wrong or worse. Reading one
//! returns either a typed value or everything that is wrong with it, and it
//! costs little even for a hostile document (see [`xml`]). Unknown
//! elements are kept and passed on; names of the protocol keep their
//! meaning inside them, so that the XSD accepts whatever was read.

mod as_json;
mod as_xml;
mod document;
mod edges;
mod glossary;
mod kinds;
mod leaf;
mod message;
mod reading;
mod rules;
mod shape;
mod templates;
mod unknown;
mod values;
mod vocabulary;
pub mod xml;

pub use as_json::json_schema;
pub use as_xml::xsd;
pub use document::{Handoff, HandoffError};
pub use edges::HandoffKind;
pub use kinds::{
    AgentFailed, AppliedFix, Approved, BlockingIssue, ChangesRequested, Commit, Envelope,
    ErrorDetails, Fixed, Implemented, IssueReady, Merged, Metrics, NothingToFix, ValidationFailed,
    ValidationFailure, ValidationSummary, WorkflowComplete, WorkspaceChecks, WorkspaceReady,
};
pub use values::{HttpUrl, InvalidValue, Line, Location, Moment, Percentage, Sha};
pub use vocabulary::{
    Agent, ApprovedReview, Choice, CompletionStatus, ErrorStatus, FailedValidation, FixStatus,
    IssueType, MergeStatus, MergeStrategy, NothingToFixStatus, Outcome, Priority, RejectedReview,
    Severity, Status, UnknownWord, Vocabulary, WorkspaceStatus, WorkspaceType,
};
