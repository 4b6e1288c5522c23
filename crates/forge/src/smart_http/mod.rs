//! git over HTTP: clone, fetch and push, by git's own `http-backend`.
//!
//! [`access`] decides who may, [`backend`] passes the bytes on, [`guard`] lets
//! rules refuse single refs of a push.

mod access;
mod backend;
mod guard;

use std::future::Ready;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::{CONTENT_TYPE, LOCATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use crate::actions::pushes;
use crate::app::App;
use crate::auth::{Caller, identify};
use crate::error::ApiError;
use crate::store::repositories::Repository;

use access::{Admitted, Refused, Service};
use backend::Exchange;
use guard::Guard;

/// Nothing follows from a clone or a fetch.
const NOTHING: Option<Ready<()>> = None;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/{owner}/{name}/info/refs", get(advertise))
        .route("/{owner}/{name}/git-upload-pack", post(upload_pack))
        .route("/{owner}/{name}/git-receive-pack", post(receive_pack))
}

async fn advertise(
    State(app): State<App>,
    Path((owner, name)): Path<(String, String)>,
    uri: Uri,
    request: Request,
) -> Result<Response, Refused> {
    let query = uri.query().unwrap_or_default();
    let service = Service::asked_for(query).ok_or(Refused::Forbidden(
        "Please upgrade your git client.\nThis forge speaks the smart HTTP protocol only."
            .to_owned(),
    ))?;
    let caller = caller(&app, request.headers())?;
    let admitted = match access::admit(&app, &caller, &owner, &name, service)? {
        Admitted::Here(repository) => repository,
        Admitted::Moved(repository) => {
            let path = format!("/{}.git/info/refs?{query}", repository.full_name());
            return Ok((StatusCode::MOVED_PERMANENTLY, [(LOCATION, path)]).into_response());
        }
    };
    let exchange = Exchange {
        method: "GET",
        path: "/info/refs",
        query,
        user: caller.user.as_ref().map(|user| user.login.as_str()),
        headers: request.headers(),
        guard: None,
    };
    let started = exchange.start(&app.git(&admitted)).await?;
    backend::answer(started, Body::empty(), NOTHING).await
}

async fn upload_pack(
    State(app): State<App>,
    Path((owner, name)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Refused> {
    let caller = caller(&app, request.headers())?;
    let repository = access::admit(&app, &caller, &owner, &name, Service::Upload)?.repository();
    let exchange = Exchange {
        method: "POST",
        path: "/git-upload-pack",
        query: "",
        user: None,
        headers: request.headers(),
        guard: None,
    };
    let started = exchange.start(&app.git(&repository)).await?;
    backend::answer(started, request.into_body(), NOTHING).await
}

async fn receive_pack(
    State(app): State<App>,
    Path((owner, name)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Refused> {
    let caller = caller(&app, request.headers())?;
    let repository = access::admit(&app, &caller, &owner, &name, Service::Receive)?.repository();
    let user = caller.user().map_err(Refused::from)?.clone();
    let guard = if pushes::is_guarded(&app, &repository)? {
        Some(Guard::new(&app)?)
    } else {
        None
    };
    let exchange = Exchange {
        method: "POST",
        path: "/git-receive-pack",
        query: "",
        user: Some(&user.login),
        headers: request.headers(),
        guard: guard.as_ref(),
    };
    let started = exchange.start(&app.git(&repository)).await?;
    let watching = guard.map(|guard| {
        let (app, repository) = (app.clone(), repository.clone());
        tokio::spawn(async move { guard.answer(&app, &repository, &caller).await })
    });
    let aftermath = async move {
        if let Some(watching) = watching {
            watching.abort();
        }
        // Much may follow from a push, and all of it would be part of this future.
        Box::pin(after_push(&app, &repository, user.id)).await;
    };
    backend::answer(started, request.into_body(), Some(aftermath)).await
}

/// The answer ends when this is done, so anyone who pushed finds what followed
/// from it.
async fn after_push(app: &App, repository: &Repository, actor_id: i64) {
    if let Err(error) = pushes::notice(app, repository, Some(actor_id)).await {
        // The refs are what they are; the next look takes note of them.
        tracing::error!(?error, repository = %repository.full_name(), "a push was not recorded");
    }
}

fn caller(app: &App, headers: &HeaderMap) -> Result<Caller, Refused> {
    identify(app, headers).map_err(Refused::from)
}

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Unauthorized(_) => Self::Unauthorized,
            ApiError::NotFound => Self::NotFound,
            ApiError::Forbidden(message) => Self::Forbidden(message),
            error => Self::Failed(error),
        }
    }
}

/// git shows the text of an answer to its user, behind `remote:`.
impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Self::Unauthorized => {
                let challenge = [(WWW_AUTHENTICATE, "Basic realm=\"GitHub\"")];
                let text = "Invalid username or token.".to_owned();
                return (challenge, plain(StatusCode::UNAUTHORIZED, text)).into_response();
            }
            Self::NotFound => (StatusCode::NOT_FOUND, "Repository not found.".to_owned()),
            Self::Forbidden(message) => (StatusCode::FORBIDDEN, message),
            Self::Failed(error) => {
                tracing::error!(?error, "git could not be served");
                let text = "The forge failed.".to_owned();
                (StatusCode::INTERNAL_SERVER_ERROR, text)
            }
        };
        plain(status, text)
    }
}

fn plain(status: StatusCode, text: String) -> Response {
    (status, [(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}
