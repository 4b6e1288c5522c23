//! What a receiver gets, in the words of GitHub's webhooks.
//!
//! Things are shown as they are when the event is worked off, which is a
//! moment after it happened; what only the event itself knows is in its data.

mod checks;
mod issues;
mod pulls;
mod pushes;

use rusqlite::Connection;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::error::Result;
use crate::node_id::{Kind, node_id};
use crate::store::events::Event;
use crate::store::repositories::{self as repository_rows, Repository};
use crate::store::users::{self as user_rows, User, UserKind};
use crate::views::{View, object, repositories, users};

/// The fields of a payload, besides those that every payload has.
type Fields = Result<Option<Map<String, Value>>>;

/// Fields written with `json!`.
#[expect(
    clippy::unnecessary_wraps,
    reason = "it is the result of functions that may fail"
)]
fn fields(body: Value) -> Fields {
    Ok(Some(object(body)))
}

/// An event with what surrounds it.
struct Occasion<'a> {
    app: &'a App,
    event: &'a Event,
    repository: Repository,
    /// Anyone who did it; the owner, where it was done behind the forge's back.
    sender: User,
}

/// None where the thing that it is about is gone, or where GitHub has no
/// webhook for it.
pub(crate) async fn for_event(app: &App, event: &Event) -> Result<Option<Value>> {
    let (repository, sender) = app.read(|conn| {
        let repository = repository_rows::by_id(conn, event.repository_id)?;
        let sender = match event.actor_id {
            Some(id) => user_rows::by_id(conn, id)?,
            None => repository.owner.clone(),
        };
        Ok((repository, sender))
    })?;
    let occasion = Occasion {
        app,
        event,
        repository,
        sender,
    };
    let fields = match event.kind.as_str() {
        "push" => pushes::push(&occasion).await?,
        "create" | "delete" => pushes::branch_or_tag(&occasion),
        "issues" => issues::issue(&occasion)?,
        "issue_comment" => issues::comment(&occasion)?,
        "label" => issues::label(&occasion)?,
        "repository" => Some(occasion.changes()),
        "pull_request" => pulls::pull_request(&occasion).await?,
        "pull_request_review" => pulls::review(&occasion)?,
        "pull_request_review_comment" => pulls::review_comment(&occasion)?,
        "pull_request_review_thread" => pulls::review_thread(&occasion)?,
        "merge_group" => pulls::merge_group(&occasion).await?,
        "deployment" => pulls::deployment(&occasion)?,
        "deployment_status" => pulls::deployment_status(&occasion)?,
        "status" => checks::status(&occasion).await?,
        "check_run" => checks::run(&occasion)?,
        "check_suite" => checks::suite(&occasion).await?,
        "workflow_run" => checks::workflow_run(&occasion).await?,
        "workflow_job" => checks::workflow_job(&occasion)?,
        _ => None,
    };
    fields.map(|fields| occasion.framed(fields)).transpose()
}

/// What a new hook gets first.
pub(crate) fn ping(
    app: &App,
    repository: &Repository,
    sender: &User,
    hook_id: i64,
    hook: &Value,
) -> Result<Value> {
    app.show(|view| {
        Ok(json!({
            "zen": "Keep it logically awesome.",
            "hook_id": hook_id,
            "hook": hook,
            "repository": repositories::ordinary(view, repository, None)?,
            "sender": users::simple(view.urls, sender),
        }))
    })
}

impl Occasion<'_> {
    /// The row that the event is about; none where it is gone.
    fn row<T>(
        &self,
        find: impl FnOnce(&Connection, i64) -> rusqlite::Result<Option<T>>,
    ) -> Result<Option<T>> {
        let Some(id) = self.event.subject_id else {
            return Ok(None);
        };
        self.app.rows(|conn| find(conn, id))
    }

    fn data(&self) -> Option<&Value> {
        self.event.data.as_ref()
    }

    /// A number that only the event knows.
    fn number(&self, key: &str) -> Option<i64> {
        self.data()?.get(key)?.as_i64()
    }

    /// What was different before, where something was edited.
    fn changes(&self) -> Map<String, Value> {
        let changes = self.data().and_then(|data| data.get("changes"));
        changes
            .map(|changes| ("changes".to_owned(), changes.clone()))
            .into_iter()
            .collect()
    }

    fn show<T>(&self, look: impl FnOnce(View<'_>) -> Result<T>) -> Result<T> {
        self.app.show(look)
    }

    /// Between the action and what every payload ends with.
    fn framed(&self, fields: Map<String, Value>) -> Result<Value> {
        let mut body = Map::new();
        if let Some(action) = &self.event.action {
            body.insert("action".to_owned(), json!(action));
        }
        body.extend(fields);
        self.show(|view| {
            let urls = view.urls;
            // A push has a repository of its own form.
            if !body.contains_key("repository") {
                let repository = repositories::ordinary(view, &self.repository, None)?;
                body.insert("repository".to_owned(), repository);
            }
            let owner = &self.repository.owner;
            if owner.kind == UserKind::Organization {
                let api = urls.api(&format!("/orgs/{}", owner.login));
                let organization = json!({
                    "login": owner.login,
                    "id": owner.id,
                    "node_id": node_id(Kind::Organization, owner.id),
                    "url": api,
                    "repos_url": format!("{api}/repos"),
                    "events_url": format!("{api}/events"),
                    "hooks_url": format!("{api}/hooks"),
                    "issues_url": format!("{api}/issues"),
                    "members_url": format!("{api}/members{{/member}}"),
                    "public_members_url": format!("{api}/public_members{{/member}}"),
                    "avatar_url": urls.page(&format!("/avatars/{}", owner.login)),
                    "description": null,
                });
                body.insert("organization".to_owned(), organization);
            }
            let sender = users::simple(urls, &self.sender);
            body.insert("sender".to_owned(), sender);
            Ok(Value::Object(body))
        })
    }
}
