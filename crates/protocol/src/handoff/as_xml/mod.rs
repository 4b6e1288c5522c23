//! The XML form: reading and writing shapes as elements, and its schema.

mod place;
mod read;
mod write;
mod xsd;

pub(super) use read::ElementReader;
pub(super) use write::ElementWriter;
pub use xsd::xsd;
