//! The MCP server as agents start it.

mod calls;
mod client;
mod conformance;
mod every_tool;
mod forge;
mod protocol;
