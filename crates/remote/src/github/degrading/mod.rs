//! Queries without the fields that a server refuses or does not know.
//!
//! GitHub refuses a whole query for one field that the token's scopes do not cover, and an older
//! Enterprise server for one field that it does not know. Such a query is asked again without
//! these fields, and what was left out is reported as unreadable.

mod memory;
mod outline;
mod pruning;
#[cfg(test)]
mod tests;

pub(super) use memory::RefusedFields;
pub(super) use pruning::{Cuts, Location, left_out, refused, without};
