//! What every table needs.

pub(crate) use crate::store::select::Found;
pub(crate) use crate::store::select::FromRow;
pub(crate) use crate::store::select::Rows;
pub(crate) use crate::store::select::Select as _;
pub(crate) use crate::store::select::columns;
pub(crate) use crate::store::select::insert;
pub(crate) use crate::store::select::inserts;
pub(crate) use crate::store::select::json_column;
pub(crate) use crate::store::select::row;
pub(crate) use crate::store::select::sql;
pub(crate) use crate::store::text_enum::text_enum;
pub(crate) use crate::store::users::User;
pub(crate) use rusqlite::Connection;
pub(crate) use rusqlite::Row;
pub(crate) use rusqlite::Transaction;
pub(crate) use rusqlite::params;
