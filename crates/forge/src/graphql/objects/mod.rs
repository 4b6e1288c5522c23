//! The types of GitHub's schema, each made from a row.

mod accounts;
mod bot;
mod organization;
mod repository;
mod user;

pub(super) use accounts::{Actor, RepositoryOwner};
pub(super) use bot::Bot;
pub(super) use organization::Organization;
pub(super) use repository::Repository;
pub(super) use user::User;
