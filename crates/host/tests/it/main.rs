//! The integration tests of the host crate.

mod cmd;
mod detect;
mod git;
