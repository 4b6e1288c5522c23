//! The client for GitHub, GitHub Enterprise and the local forge.
//!
//! A [`GitHub`] is made once from a [`Server`] and an [`Auth`] and is cheap to
//! clone. Its methods are in `resources` (REST and mutations, one resource per
//! file) and in `questions` (one GraphQL document each). Every call is built from
//! [`ENDPOINTS`] or [`DOCUMENTS`], which tests compare with GitHub's own
//! descriptions. Answers are types of our own that tolerate unknown values; every
//! error is a [`GitHubError`] with the next step.
//!
//! The `Safety` of a change states whether it may be made twice. Those that may
//! not (opening, commenting, reviewing) are never sent again: after a lost
//! response the caller has to check whether the change was made.

mod archive;
pub mod auth;
mod client;
mod degrading;
mod documents;
mod endpoint;
pub mod enums;
mod errand;
mod error;
mod event;
mod fact;
mod graphql;
mod hint;
mod open_enum;
pub mod questions;
mod refusal;
mod request;
pub mod resources;
mod server;
mod values;
pub mod webhook;

pub use archive::{Archive, ArchiveError, ArchiveLimits, Entry};
pub use auth::Auth;
pub use client::GitHub;
pub use documents::DOCUMENTS;
pub use endpoint::{ENDPOINTS, Endpoint, Verb};
pub use errand::Errand;
pub use error::{FieldProblem, GitHubError, GitHubErrorKind};
pub use event::{Event, Observer};
pub use fact::{Fact, Unreadable};
pub use graphql::{GraphQlProblem, ProblemKind};
pub use server::Server;
pub use values::{Account, Listed, NodeId};
