//! What baton remembers between calls: one versioned SQLite database in the
//! state folder, shared by all its processes.
//!
//! All calls block; an asynchronous caller wraps them. The caller passes the
//! folder and the time.
//!
//! Must not know processes, the network or what the records mean.

pub mod acceptances;
mod database;
mod error;
pub mod history;
pub mod http_cache;
pub mod journal;
pub mod key_file;
pub mod operations;
pub mod ref_moves;

pub use database::{DATABASE_NAME, State};
pub use error::{StateError, StateErrorKind};
