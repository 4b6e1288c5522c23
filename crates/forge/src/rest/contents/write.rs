use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use baton_host::git::Oid;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;

use crate::actions::pushes;
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, FieldError};
use crate::git::{EntryKind, GitRepository, NewCommit, RefChange, TreeChange, TreeEntry, names};
use crate::rest::commits::git_commit;
use crate::rest::git_data::PersonInput;
use crate::rest::input::Input;
use crate::store::repositories::{Permission, Repository};

use super::{decode, entry, read};

pub(super) fn routes() -> Router<App> {
    Router::new().route(
        "/repos/{owner}/{repo}/contents/{*path}",
        get(read::at_path).put(put).delete(remove),
    )
}

#[derive(Deserialize)]
struct FileInput {
    message: Option<String>,
    content: Option<String>,
    sha: Option<String>,
    branch: Option<String>,
    author: Option<PersonInput>,
    committer: Option<PersonInput>,
}

/// A commit that changes one file, before it is made.
struct Edit {
    repository: Repository,
    git: GitRepository,
    path: String,
    branch: String,
    /// Of the branch; absent in an empty repository.
    parent: Option<Oid>,
    before: Option<TreeEntry>,
    input: FileInput,
}

async fn put(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, path)): Path<(String, String, String)>,
    Input(input): Input<FileInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let content = input.content.as_deref();
    let content = decode(content.ok_or_else(|| missing("content"))?)?;
    let edit = Edit::prepare(&app, &caller, (&owner, &name, &path), input).await?;
    if edit.before.is_some() && edit.input.sha.is_none() {
        return Err(ApiError::Unprocessable(
            "Invalid request.\n\n\"sha\" wasn't supplied.".to_owned(),
        ));
    }
    edit.check_sha()?;
    let oid = edit.git.write_blob(content).await?;
    let mode = edit.before.as_ref().map_or("100644", |found| &found.mode);
    let entry = Some((mode.to_owned(), oid));
    let status = if edit.before.is_some() {
        StatusCode::OK
    } else {
        StatusCode::CREATED
    };
    let body = Box::pin(edit.commit(&app, &caller, entry)).await?;
    Ok((status, Json(body)))
}

/// What is said in the body may stand in the query instead.
async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, path)): Path<(String, String, String)>,
    Query(query): Query<HashMap<String, String>>,
    Input(mut input): Input<FileInput>,
) -> Result<Json<Value>, ApiError> {
    for (field, key) in [
        (&mut input.message, "message"),
        (&mut input.sha, "sha"),
        (&mut input.branch, "branch"),
    ] {
        if field.is_none() {
            *field = query.get(key).cloned();
        }
    }
    let edit = Edit::prepare(&app, &caller, (&owner, &name, &path), input).await?;
    if edit.before.is_none() {
        return Err(ApiError::NotFound);
    }
    if edit.input.sha.is_none() {
        return Err(missing("sha"));
    }
    edit.check_sha()?;
    Ok(Json(Box::pin(edit.commit(&app, &caller, None)).await?))
}

impl Edit {
    async fn prepare(
        app: &App,
        caller: &Caller,
        (owner, name, path): (&str, &str, &str),
        input: FileInput,
    ) -> Result<Self, ApiError> {
        let repository = app.read(|connection| {
            caller.repository_to_change(connection, owner, name, Permission::Write)
        })?;
        if input.message.as_deref().is_none_or(str::is_empty) {
            return Err(missing("message"));
        }
        let path = path.trim_matches('/').to_owned();
        if !names::is_tree_path(&path) {
            return Err(ApiError::Unprocessable(
                "path contains a malformed path component".to_owned(),
            ));
        }
        let branch = input.branch.as_deref();
        let branch = branch.unwrap_or(&repository.default_branch).to_owned();
        let git = app.git(&repository);
        let parent = git.branch(&branch).await?;
        if parent.is_none() && !git.refs(&["refs/heads"]).await?.is_empty() {
            return Err(ApiError::Refused {
                status: StatusCode::NOT_FOUND,
                message: format!("Branch {branch} not found"),
            });
        }
        let before = match &parent {
            Some(parent) => git.entry(parent, &path).await?,
            None => None,
        };
        if let Some(found) = before
            .as_ref()
            .filter(|found| found.kind != EntryKind::File)
        {
            let message = format!("{} is not a file", found.path);
            return Err(ApiError::Unprocessable(message));
        }
        Ok(Self {
            repository,
            git,
            path,
            branch,
            parent,
            before,
            input,
        })
    }

    /// The caller must have seen the file as it is.
    fn check_sha(&self) -> Result<(), ApiError> {
        let (Some(before), Some(sha)) = (&self.before, &self.input.sha) else {
            return Ok(());
        };
        if before.oid.as_str() == sha {
            return Ok(());
        }
        Err(ApiError::Refused {
            status: StatusCode::CONFLICT,
            message: format!("{} does not match {sha}", self.path),
        })
    }

    async fn commit(
        self,
        app: &App,
        caller: &Caller,
        new: Option<(String, Oid)>,
    ) -> Result<Value, ApiError> {
        let base = match &self.parent {
            Some(parent) => self.git.tree_of(parent).await?,
            None => None,
        };
        let change = TreeChange {
            path: self.path.clone(),
            entry: new,
        };
        let tree = self.git.edit_tree(base.as_ref(), &[change]).await?;
        let (user, now) = (caller.user()?, app.now());
        let committer = PersonInput::or_user(self.input.committer.as_ref(), user, &now);
        let author = match &self.input.author {
            Some(given) => PersonInput::or_user(Some(given), user, &now),
            None => committer.clone(),
        };
        let parents: Vec<_> = self.parent.iter().cloned().collect();
        let message = self.input.message.as_deref().unwrap_or_default();
        let oid = self
            .git
            .write_commit(&NewCommit {
                tree: &tree,
                parents: &parents,
                author: &author,
                committer: &committer,
                message,
            })
            .await?;
        let update = RefChange {
            name: format!("refs/heads/{}", self.branch),
            old: self.parent.clone(),
            new: Some(oid.clone()),
        };
        pushes::update_refs_as(app, caller, &self.repository, &[update]).await?;
        let made = self.git.commit(&oid).await?.ok_or(ApiError::NotFound)?;
        let after = self.git.entry(&oid, &self.path).await?;
        app.show(|view| {
            let content = after.map_or(Value::Null, |found| {
                entry(view, &self.repository, &self.branch, &found)
            });
            let commit = git_commit(view, &self.repository, &made);
            Ok(json!({"content": content, "commit": commit}))
        })
    }
}

fn missing(field: &'static str) -> ApiError {
    ApiError::Invalid(vec![FieldError::missing("Commit", field)])
}
