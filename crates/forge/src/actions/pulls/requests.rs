//! Asking people for a review.

use axum::http::StatusCode;
use rusqlite::Transaction;
use serde_json::json;

use super::record::{self, Doing};
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, Result};
use crate::store::code_owner_sets;
use crate::store::issues;
use crate::store::pulls::Pull;
use crate::store::repositories::{self, Permission, Repository};
use crate::store::reviews;
use crate::store::users::{self, User};

/// By login. Those who were asked before are asked again without harm.
pub(crate) async fn request_reviews(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    pull: &Pull,
    logins: Vec<String>,
) -> Result<Pull> {
    let doing = begin(app, caller, repository)?;
    let (repository, asked) = (repository.clone(), pull.clone());
    app.write(move |tx| {
        let mut reviewers = Vec::new();
        for login in &logins {
            reviewers.push(reviewer(tx, &repository, &asked, login)?);
        }
        for user in reviewers {
            request(tx, &asked, &user, false, &doing)?;
        }
        issues::touch(tx, asked.id(), &doing.at)?;
        Ok(())
    })
    .await?;
    super::reread(app, pull.id())
}

pub(crate) async fn withdraw_review_requests(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    pull: &Pull,
    logins: Vec<String>,
) -> Result<Pull> {
    let doing = begin(app, caller, repository)?;
    let asked = pull.clone();
    app.write(move |tx| {
        for login in &logins {
            let Some(user) = users::by_login(tx, login)? else {
                continue;
            };
            if reviews::withdraw_request(tx, asked.id(), user.id)? {
                let data = Some(json!({ "requested_reviewer": { "id": user.id } }));
                record::note(tx, &asked, &doing, "review_request_removed", data.clone())?;
                record::event(tx, &asked, &doing, "review_request_removed", data)?;
            }
        }
        issues::touch(tx, asked.id(), &doing.at)?;
        Ok(())
    })
    .await?;
    super::reread(app, pull.id())
}

/// Owners of changed files are asked by themselves, except the author.
pub(super) fn request_code_owners(
    tx: &Transaction<'_>,
    repository: &Repository,
    pull: &Pull,
    doing: &Doing,
) -> Result<()> {
    for owner in code_owner_sets::for_pull(tx, pull.id())?
        .into_iter()
        .flatten()
    {
        let permission = repositories::permission(tx, repository, Some(&owner))?;
        if owner.id != pull.issue.author_id && permission >= Permission::Write {
            request(tx, pull, &owner, true, doing)?;
        }
    }
    Ok(())
}

fn begin(app: &App, caller: &Caller, repository: &Repository) -> Result<Doing> {
    let user = caller.user()?;
    super::check_writable(repository)?;
    app.read(|conn| caller.check(conn, repository, Permission::Triage))?;
    Ok(Doing::new(app, Some(user.id)))
}

fn reviewer(
    tx: &Transaction<'_>,
    repository: &Repository,
    pull: &Pull,
    login: &str,
) -> Result<User> {
    let refused = |message: &str| ApiError::refused(StatusCode::UNPROCESSABLE_ENTITY, message);
    let not_a_collaborator = || {
        refused(
            "Reviews may only be requested from collaborators. One or more of the users or \
             teams you specified is not a collaborator of the repository.",
        )
    };
    let user = users::by_login(tx, login)?.ok_or_else(not_a_collaborator)?;
    if user.id == pull.issue.author_id {
        return Err(refused(
            "Review cannot be requested from pull request author.",
        ));
    }
    // Anyone who is named there, whatever they may do; reading alone is for all.
    let named = repositories::is_collaborator(tx, repository, &user)?;
    if named {
        Ok(user)
    } else {
        Err(not_a_collaborator())
    }
}

fn request(
    tx: &Transaction<'_>,
    pull: &Pull,
    user: &User,
    as_code_owner: bool,
    doing: &Doing,
) -> Result<()> {
    if reviews::request(tx, pull.id(), user.id, as_code_owner, &doing.at)? {
        let data = Some(json!({ "requested_reviewer": { "id": user.id } }));
        record::note(tx, pull, doing, "review_requested", data.clone())?;
        record::event(tx, pull, doing, "review_requested", data)?;
    }
    Ok(())
}
