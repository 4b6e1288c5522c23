#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests start the binary and read case files, and a panic is how they fail"
)]

mod bad_input;
mod command;
mod configuration;
mod demo;
mod detection;
mod doctor;
mod handoffs;
mod help;
mod processes;
mod references;
mod schemas;
mod testing;
