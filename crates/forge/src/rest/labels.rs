//! Labels of a repository and of an issue.

use super::issues::names;
use super::prelude::*;
use crate::actions::change::Change;
use crate::actions::labels::{self as actions, LabelStyle};
use crate::store::issues::Issue;
use crate::store::labels;
use crate::views::issues::{label, labels_of};

pub(super) fn routes() -> Router<App> {
    const OF_ISSUE: &str = "/repos/{owner}/{repo}/issues/{number}/labels";
    Router::new()
        .route("/repos/{owner}/{repo}/labels", get(list).post(create))
        .route(OF_ISSUE, post(add))
        .route(&format!("{OF_ISSUE}/{{name}}"), delete(take_away))
}

async fn list(call: Call) -> Answer {
    let repository = call.repository(Permission::Read)?;
    let all = call.rows(|conn| labels::for_repository(conn, repository.id))?;
    call.list(all, |view, found| Ok(label(view, &repository, found)))
}

async fn create(call: Call) -> Answer {
    let mut input = call.payload()?;
    let name = input.text("name").unwrap_or_default();
    let style = LabelStyle {
        color: input.text("color"),
        description: input.text("description"),
    };
    input.finish()?;
    let repository = call.repository_to_change(Permission::Write)?;
    let made = actions::create(call.on(&repository), name, style).await?;
    call.show_new(|view| Ok(label(view, &repository, &made)))
}

async fn add(call: Call) -> Answer {
    let names = given(&call)?;
    change(&call, move |change, issue| {
        actions::add(change, issue, &names)
    })
    .await
}

async fn take_away(call: Call) -> Answer {
    let name = call.path("name").to_owned();
    change(&call, move |change, issue| {
        let present = labels::for_issue(change.tx, issue.id)?;
        let mut present = present.iter();
        let found = present.find(|found| found.name.eq_ignore_ascii_case(&name));
        let missing = || ApiError::refused(StatusCode::NOT_FOUND, "Label does not exist");
        actions::remove(change, issue, found.ok_or_else(missing)?)
    })
    .await
}

/// `{"labels": […]}`, or the bare list.
fn given(call: &Call) -> Result<Vec<String>> {
    let body: Value = serde_json::from_slice(&call.body).map_err(|_| ApiError::NotJson)?;
    match &body {
        Value::Object(object) => object.get("labels").map_or_else(|| Ok(Vec::new()), names),
        list => names(list),
    }
}

/// Answers with the labels that the issue has then.
async fn change(
    call: &Call,
    work: impl FnOnce(Change<'_>, &Issue) -> Result<()> + Send + 'static,
) -> Answer {
    let (repository, issue) = call.issue_to_change(Permission::Triage)?;
    let id = issue.id;
    call.on(&repository)
        .change(move |change| work(change, &issue))
        .await?;
    call.show(|view| Ok(Value::Array(labels_of(view, &repository, id)?)))
}
