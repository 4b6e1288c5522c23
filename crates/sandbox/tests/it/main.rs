//! The launcher, run for real.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails where it panics, and starts the launcher itself"
)]

#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod launcher;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod program;
#[cfg(target_os = "linux")]
mod refused;
