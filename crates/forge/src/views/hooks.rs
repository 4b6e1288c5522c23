//! Webhooks and deliveries as JSON.

use crate::actions::hooks as actions;
use crate::store::deliveries::Delivery;
use crate::store::hooks::Hook;
use crate::views::prelude::*;

/// `hook` in GitHub's description.
pub(crate) fn hook(app: &App, repository: &Repository, hook: &Hook) -> Result<Value> {
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
pub(crate) fn config(hook: &Hook) -> Value {
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
pub(crate) fn delivery(repository: &Repository, delivery: &Delivery) -> Value {
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
