//! Holding requests and answers to what GitHub publishes: its `OpenAPI`
//! description, its GraphQL schema and its webhook descriptions.
//!
//! [`Contract`] has all of it and judges what a [`Recorder`], a proxy between a
//! client and a server, has seen.
//!
//! The descriptions are peers (`cargo xtask peers`, folder `github`). Where they
//! differ from what GitHub does, `allowed.toml` says so, with the reason.

mod contract;
mod exceptions;
mod graphql;
mod openapi;
mod problem;
mod recorder;

pub use contract::Contract;
pub use exceptions::Exceptions;
pub use graphql::GraphQl;
pub use openapi::{Answer, OpenApi, Webhooks};
pub use problem::Problem;
pub use recorder::{Exchange, Recorder};
