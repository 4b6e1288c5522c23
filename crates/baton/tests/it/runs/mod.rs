//! `baton run` and the verbs that look at runs and steer them, on a local forge
//! with a coding agent that is a shell script.

mod accepting;
mod begun;
mod damage;
mod figures;
mod notifications;
mod people;
mod real_agents;
mod refusals;
pub(crate) mod scene;
mod steering;
mod tasks;
mod tokens;
mod tools;
mod watching;
mod whole;
