//! Webhooks and their deliveries.

use super::payload::Payload;
use super::prelude::*;
use crate::actions::hooks::{self as actions, Edit};
use crate::store::deliveries;
use crate::store::hooks::{self, Hook};
use crate::store::users::User;
use crate::views::hooks as bodies;
use crate::webhooks::{self, payload};

const MAX_DELIVERIES: usize = 100;

pub(super) fn routes() -> Router<App> {
    const ONE: &str = "/repos/{owner}/{repo}/hooks/{id}";
    Router::new()
        .route("/repos/{owner}/{repo}/hooks", get(list).post(create))
        .route(ONE, get(one).delete(remove))
        .route(&format!("{ONE}/deliveries"), get(list_deliveries))
        .route(&format!("{ONE}/deliveries/{{delivery}}"), get(one_delivery))
}

fn read_edit(call: &Call) -> Result<Edit> {
    let mut input = call.payload()?;
    if input.text("name").is_some_and(|name| name != "web") {
        let message = Some("name must be \"web\"".to_owned());
        return Err(ApiError::invalid("Hook", "name", "custom", message));
    }
    let mut edit = Edit {
        events: input.texts("events"),
        active: input.flag("active"),
        ..Edit::default()
    };
    if let Some(mut config) = input.object("config") {
        read_config(&mut config, &mut edit);
        input.absorb(config);
    }
    input.finish()?;
    // In GitHub's words. Hooks that are set up from the command line are not refused here, since
    // another process may deliver them.
    match &edit.url {
        Some(url) if webhooks::is_forbidden(&call.app, url) => {
            let message =
                "url is not supported because it isn't reachable over the public Internet";
            Err(ApiError::invalid(
                "Hook",
                "url",
                "custom",
                Some(message.to_owned()),
            ))
        }
        _ => Ok(edit),
    }
}

fn read_config(config: &mut Payload, edit: &mut Edit) {
    edit.url = config.text("url");
    edit.content_type = config.text("content_type");
    edit.secret = config.text("secret");
    // A number in some clients and text in others.
    edit.insecure_ssl = config.value("insecure_ssl").map(|value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    });
}

async fn list(call: Call) -> Answer {
    let repository = administered(&call)?;
    let all = call.rows(|conn| hooks::for_repository(conn, repository.id))?;
    call.list(all, |_, hook| bodies::hook(&call.app, &repository, hook))
}

async fn create(call: Call) -> Answer {
    let repository = administered(&call)?;
    let hook = actions::create(&call.app, &repository, read_edit(&call)?).await?;
    send_ping(&call.app, &repository, call.caller.user()?, hook.clone()).await?;
    created(bodies::hook(&call.app, &repository, &hook)?)
}

async fn one(call: Call) -> Answer {
    let (repository, hook) = find(&call)?;
    ok(bodies::hook(&call.app, &repository, &hook)?)
}

async fn remove(call: Call) -> Answer {
    let (_, hook) = find(&call)?;
    actions::delete(&call.app, &hook).await?;
    no_content()
}

/// What a hook gets first.
pub(crate) async fn send_ping(
    app: &App,
    repository: &Repository,
    sender: &User,
    hook: Hook,
) -> Result<()> {
    let shown = bodies::hook(app, repository, &hook)?;
    let payload = payload::ping(app, repository, sender, hook.id, &shown)?;
    actions::ping(app, hook, payload).await
}

/// The newest ones.
async fn list_deliveries(call: Call) -> Answer {
    let (repository, hook) = find(&call)?;
    let sent = call.rows(|conn| deliveries::sent(conn, hook.id, MAX_DELIVERIES))?;
    let items = sent.iter();
    ok(items
        .map(|delivery| bodies::delivery(&repository, delivery))
        .collect())
}

async fn one_delivery(call: Call) -> Answer {
    let (repository, hook) = find(&call)?;
    let id = call.number("delivery")?;
    let found = call.rows(|conn| deliveries::by_id(conn, hook.id, id))?;
    let delivery = found.ok_or(ApiError::NotFound)?;
    let mut body = bodies::delivery(&repository, &delivery);
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
    ok(body)
}

/// Hooks hold secrets: they are for those who administer the repository, and others do not learn
/// that there are any.
fn administered(call: &Call) -> Result<Repository> {
    call.caller.user()?;
    call.repository(Permission::Admin)
        .map_err(|error| match error {
            ApiError::Forbidden(_) => ApiError::NotFound,
            other => other,
        })
}

fn find(call: &Call) -> Result<(Repository, Hook)> {
    let (repository, id) = (administered(call)?, call.number("id")?);
    let hook = call.rows(|conn| hooks::by_id(conn, id))?;
    let hook = hook.filter(|hook| hook.repository_id == repository.id);
    Ok((repository, hook.ok_or(ApiError::NotFound)?))
}
