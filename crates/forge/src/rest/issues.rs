//! Issues.

use super::issue_filter::Filter;
use super::payload::Payload;
use super::prelude::*;
use crate::actions::issues::{self as actions, Draft, Edit};
use crate::actions::pulls::{self, PullChange};
use crate::store::issues::{Issue, IssueState};
use crate::views::issues::issue;

pub(super) fn routes() -> Router<App> {
    const ONE: &str = "/repos/{owner}/{repo}/issues/{number}";
    Router::new()
        .route("/repos/{owner}/{repo}/issues", get(list).post(create))
        .route(ONE, get(one).patch(update))
}

async fn list(call: Call) -> Answer {
    let repository = call.repository(Permission::Read)?;
    let found = call.read(|conn| {
        let filter = Filter::read(conn, &call.caller, &repository, &call.query)?;
        filter.find(conn)
    })?;
    call.list(found, |view, found| issue(view, &repository, found))
}

async fn one(call: Call) -> Answer {
    let (repository, found) = call.issue()?;
    call.show(|view| issue(view, &repository, &found))
}

async fn create(call: Call) -> Answer {
    let mut input = call.payload()?;
    let mut assignees = input.texts("assignees").unwrap_or_default();
    assignees.extend(input.text("assignee"));
    let draft = Draft {
        title: title(&mut input)?.unwrap_or_default(),
        body: input.text("body"),
        labels: label_names(&mut input)?.unwrap_or_default(),
        assignees,
    };
    input.finish()?;
    let repository = call.repository_to_change(Permission::Read)?;
    let made = actions::create(call.on(&repository), draft).await?;
    call.show_new(|view| issue(view, &repository, &made))
}

async fn update(call: Call) -> Answer {
    let mut input = call.payload()?;
    let state = match input.text("state").as_deref() {
        Some("open") => Some(IssueState::Open),
        Some("closed") => Some(IssueState::Closed),
        Some(_) => return Err(ApiError::invalid("Issue", "state", "invalid", None)),
        None => None,
    };
    let assignee = input.nullable_text("assignee");
    let edit = Edit {
        title: title(&mut input)?,
        body: input.nullable_text("body"),
        state,
        state_reason: input.text("state_reason"),
        labels: label_names(&mut input)?,
        assignees: (input.texts("assignees"))
            .or_else(|| assignee.map(|one| one.into_iter().collect())),
    };
    input.finish()?;
    let (repository, found) = call.issue_to_change(Permission::Read)?;
    let edit = set_pull_state(&call, &repository, &found, edit).await?;
    let updated = actions::update(call.on(&repository), &found, edit).await?;
    call.show(|view| issue(view, &repository, &updated))
}

/// A pull request is closed and opened again with regard to its branches.
async fn set_pull_state(
    call: &Call,
    repository: &Repository,
    issue: &Issue,
    mut edit: Edit,
) -> Result<Edit> {
    if issue.is_pull
        && let Some(state) = edit.state.take()
    {
        let pull = pulls::find(call.on(repository), issue.number)?;
        let change = PullChange {
            open: Some(state == IssueState::Open),
            ..PullChange::default()
        };
        pulls::update(call.on(repository), &pull, change).await?;
    }
    Ok(edit)
}

/// A number is a title, too.
fn title(input: &mut Payload) -> Result<Option<String>> {
    match input.value("title") {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(_) => Err(ApiError::Unprocessable(
            "Invalid request.\n\ntitle is not a string or a number".to_owned(),
        )),
    }
}

/// Names, or objects that have one.
pub(super) fn label_names(input: &mut Payload) -> Result<Option<Vec<String>>> {
    input.value("labels").as_ref().map(names).transpose()
}

pub(super) fn names(list: &Value) -> Result<Vec<String>> {
    let wrong = || {
        let message = "Invalid request.\n\na label is a name or an object with one";
        ApiError::Unprocessable(message.to_owned())
    };
    let list = list.as_array().ok_or_else(wrong)?.iter().map(|label| {
        let name = label.as_str().or_else(|| label["name"].as_str());
        name.map(str::to_owned).ok_or_else(wrong)
    });
    list.collect()
}
