//! Hooks of a repository: who is told what.

use crate::actions::prelude::*;
use crate::store::deliveries::{self, Delivery};
use crate::store::hooks::{self, ContentType, Hook};
use crate::webhooks;

/// GitHub allows as many per event.
const MAX_HOOKS: usize = 20;
const MAX_URL_LEN: usize = 2048;

/// What the forge tells about; GitHub has more, which never happen here.
pub(crate) const EVENTS: &[&str] = &[
    "*",
    "check_run",
    "check_suite",
    "create",
    "delete",
    "deployment",
    "deployment_status",
    "fork",
    "issue_comment",
    "issues",
    "label",
    "member",
    "merge_group",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "push",
    "repository",
    "status",
    "workflow_job",
    "workflow_run",
];

/// What a hook is to be; what is absent takes its default.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edit {
    pub(crate) url: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) secret: Option<String>,
    pub(crate) insecure_ssl: Option<String>,
    pub(crate) events: Option<Vec<String>>,
    pub(crate) active: Option<bool>,
}

/// Anyone who may administer the repository is the caller's business.
pub(crate) async fn create(app: &App, repository: &Repository, edit: Edit) -> Result<Hook> {
    let at = app.now();
    let mut hook = Hook {
        id: 0,
        repository_id: repository.id,
        url: String::new(),
        content_type: ContentType::Form,
        secret: None,
        insecure_ssl: "0".to_owned(),
        events: vec!["push".to_owned()],
        active: true,
        after_event_id: 0,
        created_at: at.clone(),
        updated_at: at,
    };
    apply(&mut hook, edit)?;
    app.write(move |tx| {
        let others = hooks::for_repository(tx, hook.repository_id)?;
        let is_same = |other: &Hook| other.url == hook.url && other.events == hook.events;
        if others.iter().any(is_same) {
            return Err(custom("Hook already exists on this repository"));
        }
        if others.len() >= MAX_HOOKS {
            return Err(custom("The \"push\" event cannot have more than 20 hooks"));
        }
        hook.id = hooks::create(tx, &hook)?;
        Ok(hook)
    })
    .await
}

pub(crate) async fn delete(app: &App, hook: &Hook) -> Result<()> {
    let id = hook.id;
    app.write(move |tx| Ok(hooks::delete(tx, id)?)).await
}

pub(crate) async fn ping(app: &App, hook: Hook, payload: Value) -> Result<()> {
    let now = app.timestamp().as_millisecond();
    app.write(move |tx| {
        webhooks::ping(tx, &hook, &payload, now)?;
        Ok(())
    })
    .await
}

/// The last delivery that got an answer, or did not.
pub(crate) fn last_delivery(app: &App, hook: &Hook) -> Result<Option<Delivery>> {
    let sent = app.rows(|conn| deliveries::sent(conn, hook.id, 1))?;
    Ok(sent.into_iter().next())
}

fn apply(hook: &mut Hook, edit: Edit) -> Result<()> {
    if let Some(url) = edit.url {
        hook.url = url;
    }
    if hook.url.is_empty() {
        return Err(custom("Config must contain URL for webhooks"));
    }
    if hook.url.len() > MAX_URL_LEN || !webhooks::is_address(&hook.url) {
        return Err(ApiError::invalid(
            "Hook",
            "url",
            "custom",
            Some("url must be an http:// address without credentials; this forge does not deliver over TLS".to_owned()),
        ));
    }
    if let Some(text) = edit.content_type {
        hook.content_type = ContentType::parse(&text)
            .ok_or_else(|| ApiError::invalid("Hook", "content_type", "invalid", None))?;
    }
    if let Some(secret) = edit.secret {
        hook.secret = Some(secret).filter(|secret| !secret.is_empty());
    }
    if let Some(insecure) = edit.insecure_ssl {
        hook.insecure_ssl = insecure;
    }
    if let Some(active) = edit.active {
        hook.active = active;
    }
    if let Some(events) = edit.events {
        hook.events = events;
    }
    hook.events.sort();
    hook.events.dedup();
    check_events(&hook.events)
}

fn check_events(events: &[String]) -> Result<()> {
    if events.is_empty() {
        return Err(custom("This hook must have at least one event"));
    }
    let unknown = events
        .iter()
        .filter(|event| !EVENTS.contains(&event.as_str()));
    let errors: Vec<_> = unknown
        .map(|event| FieldError {
            message: Some(format!("{event:?} is not an event that this forge knows")),
            ..FieldError::new("Hook", "events", "invalid")
        })
        .collect();
    if errors.is_empty() {
        return Ok(());
    }
    Err(ApiError::Invalid(errors))
}

fn custom(message: &str) -> ApiError {
    ApiError::invalid("Hook", "base", "custom", Some(message.to_owned()))
}
