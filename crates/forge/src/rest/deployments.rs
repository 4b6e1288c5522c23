//! Deployments.

use super::prelude::*;
use crate::actions::deployments::{self as actions, NewDeployment, Report};
use crate::store::deployments::{self, Deployment, DeploymentState, Filter};
use crate::views::deployments::{deployment, status};

pub(super) fn routes() -> Router<App> {
    const ALL: &str = "/repos/{owner}/{repo}/deployments";
    Router::new()
        .route(ALL, get(list).post(create))
        .route(&format!("{ALL}/{{deployment}}"), get(one))
        .route(
            &format!("{ALL}/{{deployment}}/statuses"),
            get(statuses).post(report),
        )
}

fn find(call: &Call) -> Result<(Repository, Deployment)> {
    let repository = call.repository(Permission::Read)?;
    let id = call.number("deployment")?;
    let found = call.rows(|conn| deployments::by_id(conn, repository.id, id))?;
    Ok((repository, found.ok_or(ApiError::NotFound)?))
}

async fn list(call: Call) -> Answer {
    // GitHub takes "none" for any.
    let value = |key| {
        call.get(key)
            .filter(|value| *value != "none")
            .map(str::to_owned)
    };
    let filter = Filter {
        sha: value("sha"),
        ref_name: value("ref"),
        task: value("task"),
        environment: value("environment"),
    };
    let repository = call.repository(Permission::Read)?;
    let all = call.rows(|conn| deployments::list(conn, repository.id, &filter))?;
    call.list(all, |view, found| Ok(deployment(view, &repository, found)))
}

async fn create(call: Call) -> Answer {
    let mut input = call.payload()?;
    let ref_name = input.text("ref");
    let environment = input.text("environment");
    let environment = environment.unwrap_or_else(|| "production".to_owned());
    let production = input.flag("production_environment");
    let new = NewDeployment {
        ref_name: ref_name
            .ok_or_else(|| ApiError::invalid("Deployment", "ref", "missing_field", None))?,
        task: input.text("task").unwrap_or_else(|| "deploy".to_owned()),
        payload: input.value("payload").unwrap_or_else(|| json!({})),
        production_environment: production.unwrap_or(environment == "production"),
        environment,
        description: input.text("description"),
        transient_environment: input.flag("transient_environment") == Some(true),
        required_contexts: input.texts("required_contexts"),
    };
    input.finish()?;
    let repository = call.repository_to_change(Permission::Write)?;
    let made = actions::create(call.on(&repository), new).await?;
    call.show_new(|view| Ok(deployment(view, &repository, &made)))
}

async fn one(call: Call) -> Answer {
    let (repository, found) = find(&call)?;
    call.show(|view| Ok(deployment(view, &repository, &found)))
}

async fn statuses(call: Call) -> Answer {
    let (repository, found) = find(&call)?;
    let all = call.rows(|conn| deployments::statuses(conn, found.id))?;
    call.list(all, |view, found| Ok(status(view, &repository, found)))
}

async fn report(call: Call) -> Answer {
    let mut input = call.payload()?;
    let invalid = |code| ApiError::invalid("DeploymentStatus", "state", code, None);
    let state = input
        .text("state")
        .ok_or_else(|| invalid("missing_field"))?;
    let target_url = input.text("target_url");
    let report = Report {
        state: DeploymentState::parse(&state).ok_or_else(|| invalid("custom"))?,
        description: input.text("description").unwrap_or_default(),
        environment: input.text("environment"),
        environment_url: input.text("environment_url").unwrap_or_default(),
        log_url: input.text("log_url").or(target_url).unwrap_or_default(),
        auto_inactive: input.flag("auto_inactive") != Some(false),
    };
    input.finish()?;
    let (repository, found) = find(&call)?;
    let made = actions::report(call.on(&repository), &found, report).await?;
    call.show_new(|view| Ok(status(view, &repository, &made)))
}
