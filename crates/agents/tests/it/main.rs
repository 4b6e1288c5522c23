//! The agents on a local forge, with real git and scripted coding agents.

mod fixer;
mod rehearsal;
mod reviewer;
mod validator;
