//! The integration tests of the review engine.

mod engine;
mod explained;
mod formats;
mod hostile;
mod linear;
mod mutated;
mod rules;
mod tamper;
