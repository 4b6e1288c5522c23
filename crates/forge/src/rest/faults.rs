//! How the forge is told to misbehave.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, get};
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::app::App;
use crate::auth::Caller;
use crate::edge::faults::{ActiveFault, Fault};
use crate::error::ApiError;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/_forge/faults", get(list).post(add).delete(clear))
        .route("/_forge/faults/{id}", delete(remove))
}

async fn list(State(app): State<App>, caller: Caller) -> Result<Json<Value>, ApiError> {
    check(&caller)?;
    Ok(Json(app.faults().list().iter().map(body).collect()))
}

async fn add(
    State(app): State<App>,
    caller: Caller,
    Json(fault): Json<Fault>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    check(&caller)?;
    let active = ActiveFault {
        id: app.faults().add(fault.clone()),
        fault,
        seen: 0,
        hits: 0,
    };
    Ok((StatusCode::CREATED, Json(body(&active))))
}

async fn clear(State(app): State<App>, caller: Caller) -> Result<StatusCode, ApiError> {
    check(&caller)?;
    app.faults().clear();
    Ok(StatusCode::NO_CONTENT)
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<u64>,
) -> Result<StatusCode, ApiError> {
    check(&caller)?;
    if !app.faults().remove(id) {
        return Err(ApiError::NotFound);
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Faults hit everybody, so they are for whoever runs the forge.
fn check(caller: &Caller) -> Result<(), ApiError> {
    if caller.user()?.site_admin {
        return Ok(());
    }
    Err(ApiError::Forbidden(
        "Must be a site administrator.".to_owned(),
    ))
}

fn body(active: &ActiveFault) -> Value {
    let fault = &active.fault;
    json!({
        "id": active.id,
        "kind": fault.kind.name(),
        "method": fault.method,
        "path": fault.path,
        "operation": fault.operation,
        "skip": fault.skip,
        "count": fault.count,
        "seen": active.seen,
        "hits": active.hits,
    })
}
