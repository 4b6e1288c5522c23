//! What every resource needs.

pub(super) use axum::Router;
pub(super) use axum::http::StatusCode;
pub(super) use axum::routing::{delete, get, patch, post, put};
pub(super) use serde_json::{Value, json};

pub(super) use super::call::{
    Answer, Call, accepted, answer, created, created_there, no_content, ok,
};
pub(super) use crate::app::App;
pub(super) use crate::error::{ApiError, Result};
pub(super) use crate::store::repositories::{Permission, Repository};
