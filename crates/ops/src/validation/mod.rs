//! The validation phase.
