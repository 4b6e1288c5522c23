//! The JSON form: reading and writing shapes as JSON values, and its schema.

mod element;
mod place;
mod read;
mod schema;
mod text;
mod write;

pub(super) use read::JsonReader;
pub use schema::json_schema;
pub use text::JsonError;
pub(super) use text::parse;
pub(super) use write::JsonWriter;
