//! Development only: a hermetic environment and real git repositories for
//! tests.
//!
//! A test that starts programs gets a [`Sandbox`]: a temporary folder with its
//! own home, its own `PATH` and no configuration of the user. [`Repo`] builds
//! git repositories in it whose commits have the same ids on every machine.

mod fake;
mod repo;
mod sandbox;

pub use fake::Fake;
pub use repo::Repo;
pub use sandbox::Sandbox;
