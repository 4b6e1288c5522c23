//! baton's MCP server: tools, prompts and resources for AI agents, for every
//! version of the protocol from 2024-11-05 to 2026-07-28.
//!
//! A [`Server`] is made from [`Offer`]s. The way of a call: `handler` (the
//! protocol's words) → `running` (the operation, in a task of its own) →
//! `calling`, or `tasks` where the client polls (progress, questions,
//! cancellation) → `answer` (structured content and text, within a budget).
//! What a call has begun and what outlives the server is a task of another kind
//! (`durable`).

mod answer;
mod asking;
mod budget;
mod calling;
mod durable;
mod handler;
mod hosting;
mod offer;
mod outline;
mod parked;
mod prompts;
pub mod pulls;
mod resources;
mod running;
mod schemas;
mod server;
mod stdio;
mod tasks;

pub use answer::MAX_ANSWER_BYTES;
pub use asking::Questions;
pub use durable::{Answer, Durable, Phase, Reply, Standing};
pub(crate) use hosting::http_service;
pub use offer::{Call, Failure, Hints, Offer, Outcome, Run, Telling};
pub use server::Server;
pub use stdio::ServeError;
