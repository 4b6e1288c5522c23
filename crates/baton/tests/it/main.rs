#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests start the binary, read case files and say which peers they lack; a panic is how they fail"
)]

mod adversaries;
mod bad_input;
mod cheats;
mod command;
mod configuration;
mod demo;
mod detection;
mod doctor;
mod endless;
mod forge;
mod handoffs;
mod help;
mod mcp;
mod pr;
mod processes;
mod references;
mod runs;
mod schemas;
mod testing;
mod validation;
mod zoo;
