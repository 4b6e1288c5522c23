//! What every action needs.

pub(crate) use crate::actions::change::Change;
pub(crate) use crate::actions::change::RepoContext;
pub(crate) use crate::app::App;
pub(crate) use crate::auth::Caller;
pub(crate) use crate::error::ApiError;
pub(crate) use crate::error::FieldError;
pub(crate) use crate::error::Result;
pub(crate) use crate::git::GitRepository;
pub(crate) use crate::store::issues::Issue;
pub(crate) use crate::store::pulls::Pull;
pub(crate) use crate::store::repositories::Permission;
pub(crate) use crate::store::repositories::Repository;
pub(crate) use crate::store::users::User;
pub(crate) use axum::http::StatusCode;
pub(crate) use baton_host::git::Oid;
pub(crate) use rusqlite::Connection;
pub(crate) use rusqlite::Transaction;
pub(crate) use serde_json::Value;
pub(crate) use serde_json::json;
