//! Development only: a hermetic environment and real git repositories for
//! tests.
//!
//! A test that starts programs gets a [`Sandbox`]: a temporary folder with its
//! own home, its own `PATH` and no configuration of the user. [`Repo`] builds
//! git repositories in it whose commits have the same ids on every machine.
//! [`Gh`] is the real `gh` in it, pointed at a local forge.
//!
//! Peers are the real programs and data that `cargo xtask peers` installs:
//! [`peer`] finds them. With the feature `github-contract`, `github` holds requests
//! and answers to what GitHub publishes about its API. With the feature `forge`,
//! `world` is a local forge with people, tokens, a repository and a CI that says
//! what the test wants. With the feature `model`, `scripted_model` is a language
//! model that real coding agents talk to; with the feature `jira`, `jira` is a Jira
//! with an issue.
//!
//! A [`Gatekeeper`] stands before such servers and stops the traffic where a test
//! wants a program killed.

mod fake;
mod gate;
mod gh;
#[cfg(feature = "github-contract")]
pub mod github;
#[cfg(feature = "jira")]
pub mod jira;
mod peers;
mod repo;
mod request;
mod sandbox;
#[cfg(feature = "model")]
pub mod scripted_model;
#[cfg(feature = "forge")]
pub mod world;

pub use fake::Fake;
pub use gate::{Gatekeeper, Hold};
pub use gh::Gh;
pub use peers::{missing, optional_peer, peer};
pub use repo::Repo;
pub use sandbox::Sandbox;
