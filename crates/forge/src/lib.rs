//! A local forge: the part of GitHub's REST and GraphQL API that baton uses,
//! served from SQLite and bare git repositories.
//!
//! The way of a request: `edge` (faults, who asks, quota, conditions) → `rest` or `graphql` (GitHub's words) → `actions` (what happens; the same
//! for both) → `store` (facts) and `git` (commits). What happened is an event,
//! written in the same transaction; `webhooks` and `runner` work through them.
//!
//! Must not know the operations or the engine.

mod actions;
mod app;
mod auth;
mod edge;
mod error;
mod git;
mod graphql;
mod hex;
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
mod watch;
mod webhooks;

pub use app::App;
pub use edge::faults::{ActiveFault, Fault, FaultKind, Faults};
pub use edge::quota::{Limits, Pace};
pub use graphql::sdl;
pub use overview::{AccountSummary, RepositorySummary};
pub use server::{Forge, StartError};
pub use settings::{ConnectionLimits, RunnerSettings, Settings};
pub use setup::{AccountKind, NewAccount, NewRepository, Role, SetupError};
pub use setup_hooks::{HookSummary, NewHook};
