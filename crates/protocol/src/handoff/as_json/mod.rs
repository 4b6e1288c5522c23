//! The JSON form: reading and writing shapes as JSON values, and its schema.

mod element;
mod place;
mod read;
mod schema;
mod write;

pub(super) use read::JsonReader;
pub use schema::json_schema;
pub(super) use write::JsonWriter;
