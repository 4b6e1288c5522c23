//! Merges in the background: `merge-async`.

use super::prelude::*;
use super::pulls::merge_order;
use crate::actions::pulls::{self as actions, MergeAction, MergeRequest, Standing};

pub(super) fn routes() -> Router<App> {
    const ONE: &str = "/repos/{owner}/{repo}/pulls/{number}/merge-async";
    Router::new()
        .route(ONE, put(begin))
        .route(&format!("{ONE}/{{uuid}}"), get(look))
}

async fn begin(call: Call) -> Answer {
    let mut input = call.payload()?;
    let order = merge_order(&mut input)?;
    let action = input.word("merge_action", MergeAction::ALL, MergeAction::as_str);
    input.finish()?;
    let request = MergeRequest {
        order,
        action: action.unwrap_or(MergeAction::Default),
    };
    let (repository, pull) = call.pull_to_change()?;
    let (standing, begun) =
        actions::merge_in_background(call.on(&repository), &pull, request).await?;
    let body = shown(&standing, &pull.head_sha);
    match (&standing, begun) {
        (Standing::Pending { .. }, true) => accepted(body),
        (Standing::Pending { .. }, false) => answer(StatusCode::CONFLICT, body),
        (Standing::Failed { .. }, _) => answer(StatusCode::BAD_REQUEST, body),
        (Standing::Merged { .. } | Standing::Queued, _) => ok(body),
    }
}

async fn look(call: Call) -> Answer {
    let (_, pull) = call.pull()?;
    let id = call.path("uuid");
    let requested = call.app.background_merges().get(id);
    let requested = requested
        .filter(|requested| requested.pull_id == pull.id())
        .ok_or(ApiError::NotFound)?;
    let pending = Standing::Pending {
        id: id.to_owned(),
        request: requested.request,
    };
    // The merge is there before all that follows from it is done.
    let merged = pull.merged.as_ref().map(|merged| Standing::Merged {
        commit: merged.commit_sha.clone(),
    });
    let standing = requested.outcome.or(merged).unwrap_or(pending);
    ok(shown(&standing, &pull.head_sha))
}

fn shown(standing: &Standing, head: &str) -> Value {
    match standing {
        Standing::Merged { commit } => json!({
            "status": "merged",
            "details": { "message": "Pull request was merged.", "sha": commit },
        }),
        Standing::Queued => json!({
            "status": "enqueued",
            "details": { "message": "Pull request is in the merge queue." },
        }),
        Standing::Failed { message } => json!({
            "status": "failed",
            "details": { "message": message },
        }),
        Standing::Pending { id, request } => json!({
            "status": "pending",
            "details": {
                "message": "Merge request is in progress.",
                "uuid": id,
                "merge_method": request.order.method.as_str(),
                "merge_action": request.action.as_str(),
                "expected_head_sha": request.order.expected_head.as_deref().unwrap_or(head),
            },
        }),
    }
}
