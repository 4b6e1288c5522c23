//! The MCP server as agents start it.

mod calls;
pub(crate) mod client;
mod conformance;
mod every_tool;
mod forge;
mod protocol;
mod selection;
mod token_cost;
