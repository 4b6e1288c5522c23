//! Handoffs between agents.
