//! What happens: the one place for rights, rules, changes and their events.
//! `rest` and `graphql` put the same actions into different words.

pub(crate) mod assignees;
pub(crate) mod change;
pub(crate) mod checks;
pub(crate) mod comments;
pub(crate) mod deployments;
pub(crate) mod hooks;
pub(crate) mod issues;
pub(crate) mod labels;
mod prelude;
pub(crate) mod protection;
pub(crate) mod pulls;
pub(crate) mod pushes;
pub(crate) mod reactions;
pub(crate) mod refs;
pub(crate) mod repositories;
pub(crate) mod reviews;
pub(crate) mod rules;
pub(crate) mod workflows;
