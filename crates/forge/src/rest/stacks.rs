//! GitHub's own stacks of pull requests.

use super::prelude::*;
use crate::actions::pulls::stacks as actions;
use crate::store::stacks::{self, Stack};
use crate::views::stacks::{full, minimal};

pub(super) fn routes() -> Router<App> {
    const ALL: &str = "/repos/{owner}/{repo}/stacks";
    Router::new()
        .route(ALL, get(list).post(create))
        .route(&format!("{ALL}/{{number}}"), get(one))
        .route(&format!("{ALL}/{{number}}/add"), post(add))
        .route(&format!("{ALL}/{{number}}/unstack"), post(unstack))
}

async fn list(call: Call) -> Answer {
    let repository = call.repository(Permission::Read)?;
    let pull = call.get("pull_request").map(str::parse).transpose();
    let pull: Option<i64> =
        pull.map_err(|_| ApiError::invalid("Stack", "pull_request", "invalid", None))?;
    let ids = call.rows(|conn| stacks::list(conn, repository.id, pull))?;
    call.list(ids, |view, id| {
        let stack = stacks::by_id(view.conn, *id)?.ok_or(ApiError::NotFound)?;
        Ok(minimal(view, &repository, &stack))
    })
}

async fn one(call: Call) -> Answer {
    let repository = call.repository(Permission::Read)?;
    let stack = find(&call, &repository)?;
    call.show(|view| full(view, &repository, &stack))
}

async fn create(call: Call) -> Answer {
    let numbers = numbers(&call, 2)?;
    let repository = call.repository_to_change(Permission::Read)?;
    let stack = actions::create(call.on(&repository), numbers).await?;
    call.show_new(|view| full(view, &repository, &stack))
}

async fn add(call: Call) -> Answer {
    let numbers = numbers(&call, 1)?;
    let repository = call.repository_to_change(Permission::Read)?;
    let stack = find(&call, &repository)?;
    let stack = actions::extend(call.on(&repository), stack.id, numbers).await?;
    call.show(|view| full(view, &repository, &stack))
}

async fn unstack(call: Call) -> Answer {
    let repository = call.repository_to_change(Permission::Read)?;
    let stack = find(&call, &repository)?;
    match actions::unstack(call.on(&repository), stack.id).await? {
        Some(rest) => call.show(|view| full(view, &repository, &rest)),
        None => no_content(),
    }
}

fn numbers(call: &Call, least: usize) -> Result<Vec<i64>> {
    let mut input = call.payload()?;
    let numbers = input.required_integers("pull_requests", least..=actions::MAX_SIZE);
    input.finish()?;
    Ok(numbers)
}

fn find(call: &Call, repository: &Repository) -> Result<Stack> {
    let number = call.number("number")?;
    let found = call.rows(|conn| stacks::by_number(conn, repository.id, number))?;
    found.ok_or(ApiError::NotFound)
}
