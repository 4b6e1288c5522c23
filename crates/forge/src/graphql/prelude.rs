//! What every object and mutation needs.

pub(super) use std::sync::Arc;

pub(super) use serde_json::{Value, json};

pub(super) use super::context::Context;
pub(super) use super::errors::QueryError;
pub(super) use super::field::{Arguments, Field};
pub(super) use super::object::{
    Connection, Edge, Object, Output, Plain, Resolved, Resolving, all, kind, maybe, one, plain,
};
