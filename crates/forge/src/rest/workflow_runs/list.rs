use axum::extract::{Path, Query, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;

use super::full;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::rest::check_runs::readable;
use crate::rest::{Paging, workflows};
use crate::store::repositories::Repository;
use crate::store::workflow_runs::{self as rows, RunFilter};

#[derive(Deserialize)]
pub(super) struct ListQuery {
    actor: Option<String>,
    branch: Option<String>,
    event: Option<String>,
    status: Option<String>,
    created: Option<String>,
    check_suite_id: Option<i64>,
    head_sha: Option<String>,
    #[serde(default)]
    exclude_pull_requests: bool,
}

pub(super) async fn of_repository(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo)): Path<(String, String)>,
    Query(query): Query<ListQuery>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    list(&app, &repository, &query, None, &paging).await
}

pub(super) async fn of_workflow(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, String)>,
    Query(query): Query<ListQuery>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let workflow = app.read(|connection| workflows::named(connection, &repository, &id))?;
    list(&app, &repository, &query, Some(workflow.id), &paging).await
}

async fn list(
    app: &App,
    repository: &Repository,
    query: &ListQuery,
    workflow_id: Option<i64>,
    paging: &Paging,
) -> Result<Response, ApiError> {
    let (created_from, created_to) = created_between(query.created.as_deref());
    let filter = RunFilter {
        workflow_id,
        suite_id: query.check_suite_id,
        branch: query.branch.as_deref(),
        event: query.event.as_deref(),
        head_sha: query.head_sha.as_deref(),
        actor: query.actor.as_deref(),
        state: query.status.as_deref(),
        created_from: created_from.as_deref(),
        created_to: created_to.as_deref(),
        unfinished: false,
    };
    let (limit, offset) = (paging.limit(), paging.offset());
    let (found, total) = app.read(|connection| {
        let found = rows::of_repository(connection, repository.id, &filter, limit, offset)?;
        Ok((found, rows::count(connection, repository.id, &filter)?))
    })?;
    let mut bodies = Vec::with_capacity(found.len());
    for run in &found {
        let mut body = full(app, repository, run).await?;
        if query.exclude_pull_requests {
            body["pull_requests"] = json!([]);
        }
        bodies.push(body);
    }
    let body = json!({ "total_count": total, "workflow_runs": bodies });
    Ok(paging.wrap(body, total))
}

/// From and to, of `2026-01-31`, `>=2026-01-31`, `2026-01-01..2026-01-31` and
/// so on. A day stands for all of it. What makes no sense is not asked for.
fn created_between(text: Option<&str>) -> (Option<String>, Option<String>) {
    let start = |text: &str| is_time(text).then(|| text.to_owned());
    // `~` is behind all digits, colons and letters of a time.
    let end = |text: &str| is_time(text).then(|| format!("{text}~"));
    let Some(text) = text else {
        return (None, None);
    };
    if let Some((from, to)) = text.split_once("..") {
        return (start(from), end(to));
    }
    for (sign, with_day) in [(">=", false), ("<=", true), (">", true), ("<", false)] {
        let Some(rest) = text.strip_prefix(sign) else {
            continue;
        };
        let bound = if with_day { end(rest) } else { start(rest) };
        return if sign.starts_with('>') {
            (bound, None)
        } else {
            (None, bound)
        };
    }
    (start(text), end(text))
}

fn is_time(text: &str) -> bool {
    text.len() >= 4 && text.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_stand_for_all_of_them() {
        let within = |text: &str, time: &str| {
            let (from, to) = created_between(Some(text));
            from.is_none_or(|from| time >= from.as_str()) && to.is_none_or(|to| time <= to.as_str())
        };
        let noon = "2026-01-31T12:00:00Z";
        for text in [
            "2026-01-31",
            ">=2026-01-31",
            "<=2026-01-31",
            ">2026-01-30",
            "<2026-02-01",
            "2026-01-01..2026-01-31",
            "2026-01-31T11:00:00Z..2026-01-31T13:00:00Z",
            "nonsense",
        ] {
            assert!(within(text, noon), "{text}");
        }
        for text in [
            "2026-01-30",
            ">2026-01-31",
            "<2026-01-31",
            "2026-02-01..2026-02-02",
        ] {
            assert!(!within(text, noon), "{text}");
        }
    }
}
