//! What every view needs.

pub(crate) use crate::app::App;
pub(crate) use crate::error::Result;
pub(crate) use crate::node_id::Kind;
pub(crate) use crate::node_id::node_id;
pub(crate) use crate::store::pulls::Pull;
pub(crate) use crate::store::repositories::Repository;
pub(crate) use crate::views::View;
pub(crate) use crate::views::merged;
pub(crate) use serde_json::Value;
pub(crate) use serde_json::json;
