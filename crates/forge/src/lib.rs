//! A local forge: the part of GitHub's REST and GraphQL API that baton uses,
//! served from SQLite and bare git repositories.
//!
//! The way of a request: `middleware` (faults, who calls, quota, conditions) → `rest` or `graphql`
//! (what GitHub calls things) → `actions` (what happens; the same for both) → `store` (facts) and
//! `git` (commits). Answers are made of `views`. What happened is an event, written in the same
//! transaction; `webhooks` and `runner` work through them.
//!
//! Must not know the operations or the engine.

mod actions;
mod app;
mod auth;
mod error;
mod git;
mod graphql;
mod hex;
mod middleware;
mod node_id;
mod overview;
mod pages;
mod private;
mod random;
mod rest;
mod run_files;
mod runner;
mod search;
mod server;
mod settings;
mod setup;
mod setup_hooks;
mod smart_http;
mod store;
mod urls;
mod views;
mod watch;
mod webhooks;

pub use app::App;
pub use graphql::sdl;
pub use middleware::faults::{ActiveFault, Fault, FaultKind, Faults};
pub use middleware::quota::{Limits, Pace};
pub use overview::{AccountSummary, RepositorySummary};
pub use server::{Forge, StartError};
pub use settings::{ConnectionLimits, RunnerSettings, Settings};
pub use setup::{AccountKind, NewAccount, NewRepository, Role, SetupError};
pub use setup_hooks::{HookSummary, NewHook};
