//! Holding requests and answers to what GitHub publishes: its `OpenAPI`
//! description, its GraphQL schema and its webhook descriptions.
//!
//! The descriptions are peers (`cargo xtask peers`, folder `github`). Where they
//! differ from what GitHub does, `allowed.toml` says so, with the reason.

mod exceptions;
mod graphql;
mod openapi;
mod problem;

pub use exceptions::Exceptions;
pub use graphql::GraphQl;
pub use openapi::{Answer, OpenApi, Webhooks};
pub use problem::Problem;
