//! baton's MCP server: tools, prompts and resources for AI agents, for every
//! version of the protocol from 2024-11-05 to 2026-07-28.
//!
//! A [`Server`] is made from [`ToolDef`]s. A call passes through `handler` (the
//! protocol) → `running` (the operation, in a task of its own) → `calling`, or
//! `tasks` where the client polls (progress, questions, cancellation) → `answer`
//! (structured content, text or both, within a budget). Work that outlives the server
//! is a task of another kind (`durable`).

mod answer;
mod answer_form;
mod budget;
mod calling;
mod durable;
mod elicitation;
mod handler;
mod hosting;
mod line_transport;
mod outline;
mod parked;
mod prompts;
mod resources;
mod running;
mod schemas;
mod server;
mod stdio;
mod tasks;
mod tool_def;

pub use answer::MAX_ANSWER_BYTES;
pub use durable::{Answer, Durable, Phase, Reply, Standing};
pub(crate) use hosting::http_service;
pub use server::Server;
pub use stdio::ServeError;
pub use tool_def::ToolDef;
