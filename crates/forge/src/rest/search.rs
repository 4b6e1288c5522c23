use std::collections::HashMap;

use axum::Router;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::get;
use serde_json::json;

use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::rest::{Paging, issues as issue_bodies};
use crate::search::{self, Order, OrderBy};
use crate::store::repositories;

/// GitHub shows no more of a search, however often it is asked.
const MOST_SHOWN: usize = 1000;

pub(crate) fn routes() -> Router<App> {
    Router::new().route("/search/issues", get(issues))
}

async fn issues(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    let text = query.get("q").map_or("", String::as_str);
    let order = query.get("sort").map(|by| Order {
        by: OrderBy::parse(by),
        ascending: query.get("order").is_some_and(|order| order == "asc"),
    });
    app.show(|view| {
        let mut found = search::issues(view.connection, &caller, text, order)?;
        let total = found.len();
        found.truncate(MOST_SHOWN);
        let reachable = found.len();
        let mut items = Vec::new();
        for issue in paging.of(found) {
            let repository = repositories::by_id(view.connection, issue.repository_id)?;
            let mut body = issue_bodies::issue(view, &repository, &issue)?;
            body["score"] = json!(1.0);
            if let Some(body) = body.as_object_mut() {
                // An item of a search does not say who closed it.
                body.remove("closed_by");
            }
            items.push(body);
        }
        let body = json!({
            "total_count": total,
            "incomplete_results": false,
            "items": items,
            "search_type": "lexical",
        });
        Ok(paging.wrap(body, reachable))
    })
}
