//! Coding agents.
