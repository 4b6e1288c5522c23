//! Pages for people: what is in the forge, to look at. Nothing can be changed
//! here, and no page needs a script.

mod commits;
mod conversation;
mod home;
mod html;
mod icon;
mod issues;
mod log;
mod markdown;
mod moment;
mod patch;
mod people;
mod prelude;
mod pulls;
mod repository;
mod runs;
mod style;
mod visit;

use askama::Template;
use axum::http::StatusCode;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, LOCATION, VARY,
    WWW_AUTHENTICATE,
};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Router};

use crate::app::App;
use crate::error::ApiError;
use crate::middleware::surface::Surface;
use visit::{Chrome, Visit};

/// Only the forge's own style sheet and pictures. No scripts, no frames, no
/// forms, nothing from elsewhere: whatever a stranger manages to write into a
/// page can do nothing.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/", get(home::all))
        .route("/login", get(sign_in))
        .route("/avatars/{login}", get(people::avatar))
        .route("/_forge/icon.svg", get(style::icon))
        .route("/_forge/style.css", get(style::sheet))
        .route("/{owner}", get(home::for_owner))
        .merge(commits::routes())
        .merge(issues::routes())
        .merge(pulls::routes())
        .merge(repository::routes())
        .merge(runs::routes())
        .fallback(nothing_here)
}

/// A browser asks for user and password by itself, and sends them from then
/// on: no cookie, no form.
async fn sign_in(visit: Visit) -> Response {
    match visit.viewer() {
        Some(_) => Redirect::to("/").into_response(),
        None => PageError::SignIn.into_response(),
    }
}

/// For programs as for people, each in their own words.
async fn nothing_here(Extension(surface): Extension<Surface>) -> Response {
    match surface {
        Surface::Page => PageError::from(ApiError::NotFound).into_response(),
        Surface::Api | Surface::Git | Surface::Own => ApiError::NotFound.into_response(),
    }
}

/// A template as the answer.
struct Page<T>(T);

impl<T: Template> IntoResponse for Page<T> {
    fn into_response(self) -> Response {
        match self.0.render() {
            Ok(markup) => with_headers(StatusCode::OK, markup),
            Err(error) => PageError::from(ApiError::internal(error.to_string())).into_response(),
        }
    }
}

/// Why there is no page.
enum PageError {
    /// Found at another address.
    Moved(String),
    SignIn,
    Other(ApiError),
}

impl From<ApiError> for PageError {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Unauthorized(_) => Self::SignIn,
            other => Self::Other(other),
        }
    }
}

impl From<baton_host::git::GitError> for PageError {
    fn from(error: baton_host::git::GitError) -> Self {
        Self::Other(error.into())
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    chrome: Chrome,
    status: u16,
    heading: &'static str,
    told: &'static str,
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let (status, heading, told) = match &self {
            Self::Moved(address) => {
                let mut response = StatusCode::MOVED_PERMANENTLY.into_response();
                if let Ok(address) = HeaderValue::from_str(address) {
                    response.headers_mut().insert(LOCATION, address);
                }
                return response;
            }
            Self::SignIn => (
                StatusCode::UNAUTHORIZED,
                "Sign in",
                "Give your login, and a token as the password. `baton forge token LOGIN` issues one.",
            ),
            Self::Other(ApiError::NotFound) => (
                StatusCode::NOT_FOUND,
                "There is nothing here",
                "It may have been removed, or you may not be allowed to see it. Signing in may help.",
            ),
            Self::Other(ApiError::Blocked { .. }) => (
                StatusCode::FORBIDDEN,
                "Access is blocked",
                "Anyone who runs this forge has blocked this repository.",
            ),
            Self::Other(error) => {
                tracing::error!(error = ?error, "a page could not be made");
                (
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "Something went wrong",
                    "The forge has noted what. Try again in a moment.",
                )
            }
        };
        let page = ErrorPage {
            chrome: Chrome {
                title: heading.to_owned(),
                viewer: None,
                style: style::address(),
            },
            status: status.as_u16(),
            heading,
            told,
        };
        let markup = page.render().unwrap_or_else(|_| heading.to_owned());
        let mut response = with_headers(status, markup);
        if matches!(self, Self::SignIn) {
            let realm = HeaderValue::from_static("Basic realm=\"forge\", charset=\"UTF-8\"");
            response.headers_mut().insert(WWW_AUTHENTICATE, realm);
        }
        response
    }
}

fn with_headers(status: StatusCode, markup: String) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-cache"),
        (VARY, "Authorization, Accept"),
    ];
    (status, headers, markup).into_response()
}
