use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{HeaderValue, LINK};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::actions::hooks::{self as actions, Edit};
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, FieldError};
use crate::rest::Paging;
use crate::rest::input::Input;
use crate::store::deliveries::{self, Delivery};
use crate::store::hooks::{self, Hook};
use crate::store::repositories::{Permission, Repository};
use crate::store::users::User;
use crate::webhooks::{self, payload};

const MOST_DELIVERIES: usize = 100;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/hooks", get(list).post(create))
        .route(
            "/repos/{owner}/{repo}/hooks/{id}",
            get(show).patch(update).delete(delete),
        )
        .route(
            "/repos/{owner}/{repo}/hooks/{id}/config",
            get(show_config).patch(update_config),
        )
        .route("/repos/{owner}/{repo}/hooks/{id}/pings", post(ping))
        .route(
            "/repos/{owner}/{repo}/hooks/{id}/deliveries",
            get(list_deliveries),
        )
        .route(
            "/repos/{owner}/{repo}/hooks/{id}/deliveries/{delivery}",
            get(show_delivery),
        )
        .route(
            "/repos/{owner}/{repo}/hooks/{id}/deliveries/{delivery}/attempts",
            post(redeliver),
        )
}

/// `insecure_ssl` is a number in some clients and text in others.
#[derive(Debug, Default, Deserialize)]
struct Config {
    url: Option<String>,
    content_type: Option<String>,
    secret: Option<String>,
    insecure_ssl: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct HookInput {
    name: Option<String>,
    config: Option<Config>,
    events: Option<Vec<String>>,
    add_events: Vec<String>,
    remove_events: Vec<String>,
    active: Option<bool>,
}

impl HookInput {
    fn edit(self) -> Edit {
        Edit {
            events: self.events,
            add_events: self.add_events,
            remove_events: self.remove_events,
            active: self.active,
            ..self.config.unwrap_or_default().edit()
        }
    }
}

impl Config {
    fn edit(self) -> Edit {
        Edit {
            url: self.url,
            content_type: self.content_type,
            secret: self.secret,
            insecure_ssl: self.insecure_ssl.map(|value| match value {
                Value::String(text) => text,
                other => other.to_string(),
            }),
            ..Edit::default()
        }
    }
}

async fn list(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo)): Path<(String, String)>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = administered(&app, &caller, &owner, &repo)?;
    let all = app.read(|connection| Ok(hooks::of_repository(connection, repository.id)?))?;
    let total = all.len();
    let shown: Result<Vec<_>, _> = paging
        .of(all)
        .iter()
        .map(|hook| body(&app, &repository, hook))
        .collect();
    Ok(paging.answer(shown?, total))
}

async fn create(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo)): Path<(String, String)>,
    Input(input): Input<HookInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = administered(&app, &caller, &owner, &repo)?;
    if input.name.as_deref().is_some_and(|name| name != "web") {
        return Err(ApiError::Invalid(vec![FieldError {
            message: Some("name must be \"web\"".to_owned()),
            ..FieldError::of("Hook", "name", "custom")
        }]));
    }
    let edit = input.edit();
    check_url(&app, &edit)?;
    let hook = actions::create(&app, &repository, edit).await?;
    send_ping(&app, &repository, caller.user()?, hook.clone()).await?;
    Ok((StatusCode::CREATED, Json(body(&app, &repository, &hook)?)))
}

async fn show(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
) -> Result<Json<Value>, ApiError> {
    let (repository, hook) = hook(&app, &caller, &owner, &repo, id)?;
    Ok(Json(body(&app, &repository, &hook)?))
}

async fn update(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
    Input(input): Input<HookInput>,
) -> Result<Json<Value>, ApiError> {
    let (repository, hook) = hook(&app, &caller, &owner, &repo, id)?;
    let edit = input.edit();
    check_url(&app, &edit)?;
    let hook = actions::update(&app, hook, edit).await?;
    Ok(Json(body(&app, &repository, &hook)?))
}

async fn delete(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
) -> Result<StatusCode, ApiError> {
    let (_, hook) = hook(&app, &caller, &owner, &repo, id)?;
    actions::delete(&app, &hook).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn show_config(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
) -> Result<Json<Value>, ApiError> {
    let (_, hook) = hook(&app, &caller, &owner, &repo, id)?;
    Ok(Json(config(&hook)))
}

async fn update_config(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
    Input(input): Input<Config>,
) -> Result<Json<Value>, ApiError> {
    let (_, hook) = hook(&app, &caller, &owner, &repo, id)?;
    let edit = input.edit();
    check_url(&app, &edit)?;
    let hook = actions::update(&app, hook, edit).await?;
    Ok(Json(config(&hook)))
}

async fn ping(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
) -> Result<StatusCode, ApiError> {
    let (repository, hook) = hook(&app, &caller, &owner, &repo, id)?;
    send_ping(&app, &repository, caller.user()?, hook).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// In GitHub's words. Hooks that are set up from the command line are not
/// refused here, since another process may deliver them.
fn check_url(app: &App, edit: &Edit) -> Result<(), ApiError> {
    match &edit.url {
        Some(url) if webhooks::is_forbidden(app, url) => Err(ApiError::invalid(
            "Hook",
            "url",
            "custom",
            Some(
                "url is not supported because it isn't reachable over the public Internet"
                    .to_owned(),
            ),
        )),
        _ => Ok(()),
    }
}

/// What a hook gets first, and whenever somebody asks.
pub(crate) async fn send_ping(
    app: &App,
    repository: &Repository,
    sender: &User,
    hook: Hook,
) -> Result<(), ApiError> {
    let shown = body(app, repository, &hook)?;
    let payload = payload::ping(app, repository, sender, hook.id, &shown)?;
    actions::ping(app, hook, payload).await
}

#[derive(Debug, Deserialize)]
struct DeliveryQuery {
    per_page: Option<usize>,
    cursor: Option<String>,
    status: Option<String>,
}

async fn list_deliveries(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
    Query(query): Query<DeliveryQuery>,
) -> Result<Response, ApiError> {
    let (repository, hook) = hook(&app, &caller, &owner, &repo, id)?;
    let size = query.per_page.unwrap_or(30).clamp(1, MOST_DELIVERIES);
    let before = match &query.cursor {
        Some(text) => {
            let id = text.strip_prefix("v1_").and_then(|id| id.parse().ok());
            Some(id.ok_or(ApiError::Refused {
                status: StatusCode::BAD_REQUEST,
                message: "Invalid cursor".to_owned(),
            })?)
        }
        None => None,
    };
    let sent = app.read(|connection| Ok(deliveries::sent(connection, hook.id, before, size)?))?;
    let next = (sent.len() == size)
        .then(|| sent.last().map(|last| last.id))
        .flatten();
    let wanted = |delivery: &&Delivery| match query.status.as_deref() {
        Some("success") => delivery
            .result
            .as_ref()
            .is_some_and(deliveries::DeliveryResult::is_success),
        Some("failure") => !delivery
            .result
            .as_ref()
            .is_some_and(deliveries::DeliveryResult::is_success),
        _ => true,
    };
    let items: Vec<_> = sent
        .iter()
        .filter(wanted)
        .map(|delivery| delivery_item(&repository, delivery))
        .collect();
    let mut response = Json(items).into_response();
    if let Some(next) = next {
        let full_name = repository.full_name();
        let path =
            format!("/repos/{full_name}/hooks/{id}/deliveries?per_page={size}&cursor=v1_{next}");
        let link = format!("<{}>; rel=\"next\"", app.urls().api(&path));
        if let Ok(link) = HeaderValue::from_str(&link) {
            response.headers_mut().insert(LINK, link);
        }
    }
    Ok(response)
}

async fn show_delivery(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id, delivery)): Path<(String, String, i64, i64)>,
) -> Result<Json<Value>, ApiError> {
    let (repository, hook) = hook(&app, &caller, &owner, &repo, id)?;
    let delivery = delivery_of(&app, &hook, delivery)?;
    let mut body = delivery_item(&repository, &delivery);
    let parsed = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
    let result = delivery.result.as_ref();
    body["url"] = json!(hook.url);
    body["request"] = json!({
        "headers": result.map(|result| parsed(&result.request_headers)),
        "payload": parsed(&delivery.payload),
    });
    body["response"] = json!({
        "headers": result.and_then(|result| result.response_headers.as_deref()).map(parsed),
        "payload": result.and_then(|result| result.response_body.clone()),
    });
    Ok(Json(body))
}

async fn redeliver(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id, delivery)): Path<(String, String, i64, i64)>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (_, hook) = hook(&app, &caller, &owner, &repo, id)?;
    let delivery = delivery_of(&app, &hook, delivery)?;
    actions::redeliver(&app, delivery).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({}))))
}

/// Hooks hold secrets: they are for those who administer the repository, and
/// others are not told that there are any.
fn administered(
    app: &App,
    caller: &Caller,
    owner: &str,
    name: &str,
) -> Result<Repository, ApiError> {
    caller.user()?;
    let found =
        app.read(|connection| caller.repository(connection, owner, name, Permission::Admin));
    found.map_err(|error| match error {
        ApiError::Forbidden(_) => ApiError::NotFound,
        other => other,
    })
}

fn hook(
    app: &App,
    caller: &Caller,
    owner: &str,
    name: &str,
    id: i64,
) -> Result<(Repository, Hook), ApiError> {
    let repository = administered(app, caller, owner, name)?;
    let hook = app.read(|connection| Ok(hooks::by_id(connection, id)?))?;
    let hook = hook.filter(|hook| hook.repository_id == repository.id);
    Ok((repository, hook.ok_or(ApiError::NotFound)?))
}

fn delivery_of(app: &App, hook: &Hook, id: i64) -> Result<Delivery, ApiError> {
    let found = app.read(|connection| Ok(deliveries::by_id(connection, hook.id, id)?))?;
    found.ok_or(ApiError::NotFound)
}

/// `hook` in GitHub's description.
fn body(app: &App, repository: &Repository, hook: &Hook) -> Result<Value, ApiError> {
    let last = actions::last_delivery(app, hook)?;
    let url = app.urls().api(&format!(
        "/repos/{}/hooks/{}",
        repository.full_name(),
        hook.id
    ));
    let last_response = match last.and_then(|delivery| delivery.result) {
        Some(result) => json!({
            "code": (result.status_code != 0).then_some(result.status_code),
            "status": if result.is_success() { "active" } else { "failed" },
            "message": result.status,
        }),
        None => json!({ "code": null, "status": "unused", "message": null }),
    };
    Ok(json!({
        "type": "Repository",
        "id": hook.id,
        "name": "web",
        "active": hook.active,
        "events": hook.events,
        "config": config(hook),
        "updated_at": hook.updated_at,
        "created_at": hook.created_at,
        "url": url,
        "test_url": format!("{url}/test"),
        "ping_url": format!("{url}/pings"),
        "deliveries_url": format!("{url}/deliveries"),
        "last_response": last_response,
    }))
}

/// A secret is never shown again.
fn config(hook: &Hook) -> Value {
    let mut config = json!({
        "content_type": hook.content_type.as_str(),
        "insecure_ssl": hook.insecure_ssl,
        "url": hook.url,
    });
    if hook.secret.is_some() {
        config["secret"] = json!("********");
    }
    config
}

/// `hook-delivery-item` in GitHub's description.
fn delivery_item(repository: &Repository, delivery: &Delivery) -> Value {
    let result = delivery.result.as_ref();
    json!({
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": result.map(|result| &result.delivered_at),
        "redelivery": delivery.redelivery,
        "duration": result.map_or(0.0, |result| result.duration),
        "status": result.map_or("pending", |result| result.status.as_str()),
        "status_code": result.map_or(0, |result| result.status_code),
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": null,
        "repository_id": repository.id,
        "throttled_at": null,
    })
}
