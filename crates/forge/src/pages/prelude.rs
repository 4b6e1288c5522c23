//! What every page needs.

pub(super) use super::Page;
pub(super) use super::PageError;
pub(super) use super::html::visible;
pub(super) use super::icon::Icon;
pub(super) use super::moment::Moment;
pub(super) use super::people::Person;
pub(super) use super::visit::Chrome;
pub(super) use super::visit::Masthead;
pub(super) use super::visit::Tab;
pub(super) use super::visit::Visit;
pub(super) use super::visit::home_of;
pub(super) use crate::app::App;
pub(super) use crate::error::ApiError;
pub(super) use crate::error::Result;
pub(super) use crate::store::repositories::Repository;
pub(super) use askama::Template;
pub(super) use axum::Router;
pub(super) use axum::extract::Path;
pub(super) use axum::routing::get;
