//! Artifacts of workflow runs.

use super::downloads::{self, Download};
use super::prelude::*;
use crate::actions::workflows::{artifacts, run_of};
use crate::store::artifacts::{self as rows, Artifact};
use crate::views::workflows::{artifact, is_expired};

pub(super) fn routes() -> Router<App> {
    const ONE: &str = "/repos/{owner}/{repo}/actions/artifacts/{id}";
    Router::new()
        .route(ONE, get(one))
        .route(&format!("{ONE}/{{format}}"), get(download))
        .route(
            "/repos/{owner}/{repo}/actions/runs/{id}/artifacts",
            get(for_run),
        )
}

async fn for_run(call: Call) -> Answer {
    let (repository, id) = (call.repository(Permission::Read)?, call.number("id")?);
    let mut found = call.read(|conn| {
        let run = run_of(conn, &repository, id)?;
        Ok(rows::for_run(conn, run.id, call.get("name"))?)
    })?;
    if call.get("direction") == Some("desc") {
        found.reverse();
    }
    call.counted("artifacts", found, |_, found| {
        Ok(artifact(&call.app, &repository, found))
    })
}

fn find(call: &Call) -> Result<(Repository, Artifact)> {
    let (repository, id) = (call.repository(Permission::Read)?, call.number("id")?);
    let found = call.read(|conn| artifacts::find(conn, &repository, id))?;
    Ok((repository, found))
}

async fn one(call: Call) -> Answer {
    let (repository, found) = find(&call)?;
    ok(artifact(&call.app, &repository, &found))
}

async fn download(call: Call) -> Answer {
    let (_, found) = find(&call)?;
    call.caller.user()?;
    if call.path("format") != "zip" {
        return Err(ApiError::NotFound);
    }
    if is_expired(&call.app, &found) {
        return Err(ApiError::refused(StatusCode::GONE, "Artifact has expired"));
    }
    let artifact_id = found.id;
    Ok(downloads::redirect(
        &call.app,
        Download::Artifact { artifact_id },
    ))
}
