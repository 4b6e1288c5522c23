//! Accounts and labels as they stand in a line of text.

use std::fmt;

use askama::filters::HtmlSafe;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use super::html::{escaped, in_path};
use super::prelude::*;
use crate::store::labels::Label;
use crate::store::users::User;

/// Someone with a picture and a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Person {
    login: String,
}

impl From<&User> for Person {
    fn from(user: &User) -> Self {
        Self {
            login: user.login.clone(),
        }
    }
}

impl fmt::Display for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = in_path(&self.login);
        let name = escaped(&self.login);
        write!(
            f,
            r#"<a class="person" href="/{path}"><img src="/avatars/{path}" alt="" width="20" height="20">{name}</a>"#
        )
    }
}

impl HtmlSafe for Person {}

/// A label with its colour.
#[derive(Debug, Clone)]
pub(super) struct Chip {
    name: String,
    colour: String,
}

impl From<&Label> for Chip {
    fn from(label: &Label) -> Self {
        let is_colour =
            label.color.len() == 6 && label.color.bytes().all(|b| b.is_ascii_hexdigit());
        Self {
            name: label.name.clone(),
            colour: if is_colour {
                label.color.clone()
            } else {
                "888888".to_owned()
            },
        }
    }
}

/// The colour is drawn, as the page's policy allows no styles of its own.
impl fmt::Display for Chip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, colour) = (escaped(&self.name), &self.colour);
        write!(
            f,
            r##"<span class="chip"><svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="#{colour}"/></svg><bdi>{name}</bdi></span>"##
        )
    }
}

impl HtmlSafe for Chip {}

/// A picture of a login: its first letter on a colour of its own. Also for
/// those who are not there, so that no one learns who is.
pub(super) async fn avatar(Path(login): Path<String>) -> Response {
    let letter: String = login
        .chars()
        .find(|c| c.is_alphanumeric())
        .map(|c| c.to_uppercase().collect())
        .unwrap_or_default();
    let hash = login
        .to_ascii_lowercase()
        .bytes()
        .fold(5381_u32, |hash, byte| {
            hash.wrapping_mul(33) ^ u32::from(byte)
        });
    let hue = hash % 360;
    let letter = escaped(&letter);
    let picture = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40"><rect width="40" height="40" rx="20" fill="hsl({hue} 45% 45%)"/><text x="20" y="27" text-anchor="middle" font-family="system-ui,sans-serif" font-size="20" font-weight="600" fill="white">{letter}</text></svg>"#
    );
    let headers = [
        (CONTENT_TYPE, "image/svg+xml"),
        (CACHE_CONTROL, "public, max-age=86400"),
    ];
    (headers, picture).into_response()
}
