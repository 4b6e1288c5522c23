//! `baton run` and the verbs that look at runs and steer them, on a local forge
//! with a coding agent that is a shell script.

mod refusals;
mod scene;
mod steering;
mod tools;
mod whole;
