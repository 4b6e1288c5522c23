//! What happens. GitHub's REST and GraphQL words come down to the same
//! actions, so every rule stands here once. Whatever changes facts writes its
//! events in the same transaction.

pub(crate) mod checks;
pub(crate) mod workflows;
