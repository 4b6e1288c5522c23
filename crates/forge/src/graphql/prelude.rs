//! What every object and mutation needs.

pub(super) use std::sync::Arc;

pub(super) use serde_json::{Value, json};

pub(super) use super::context::Context;
pub(super) use super::errors::QueryError;
pub(super) use super::field::{Arguments, Field};
pub(super) use super::object::{
    Connection, Edge, Object, Output, Plain, Resolved, all, kind, maybe, one, plain,
};
pub(super) use crate::error::ApiError;
pub(super) use crate::node_id::{Kind, node_id};
pub(super) use crate::store::repositories::{Permission, Repository};
pub(super) use crate::store::users::UserKind;
