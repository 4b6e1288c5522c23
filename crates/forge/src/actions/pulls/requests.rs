//! Asking people for a review.

use crate::actions::prelude::*;
use crate::store::{code_owner_sets, issues, repositories, reviews, users};

/// By login. Those who were asked before are asked again without harm.
pub(crate) async fn request_reviews(
    cx: RepoContext<'_>,
    pull: &Pull,
    logins: Vec<String>,
) -> Result<Pull> {
    cx.allowed_to_change(Permission::Triage)?;
    let (repository, asked) = (cx.repository.clone(), pull.clone());
    cx.change(move |change| {
        let mut reviewers = Vec::new();
        for login in &logins {
            reviewers.push(reviewer(change, &repository, &asked, login)?);
        }
        for user in reviewers {
            request(change, &asked, &user, false)?;
        }
        Ok(issues::touch(change.tx, asked.id(), change.at)?)
    })
    .await?;
    super::reread(cx.app, pull.id())
}

pub(crate) async fn withdraw_review_requests(
    cx: RepoContext<'_>,
    pull: &Pull,
    logins: Vec<String>,
) -> Result<Pull> {
    cx.allowed_to_change(Permission::Triage)?;
    let asked = pull.clone();
    cx.change(move |change| {
        for login in &logins {
            let Some(user) = users::by_login(change.tx, login)? else {
                continue;
            };
            if reviews::withdraw_request(change.tx, asked.id(), user.id)? {
                record(change, &asked, &user, "review_request_removed")?;
            }
        }
        Ok(issues::touch(change.tx, asked.id(), change.at)?)
    })
    .await?;
    super::reread(cx.app, pull.id())
}

/// Owners of changed files are asked by themselves, except the author.
pub(super) fn request_code_owners(
    change: Change<'_>,
    repository: &Repository,
    pull: &Pull,
) -> Result<()> {
    let sets = code_owner_sets::for_pull(change.tx, pull.id())?;
    for owner in sets.into_iter().flatten() {
        let permission = repositories::permission(change.tx, repository, Some(&owner))?;
        if owner.id != pull.issue.author_id && permission >= Permission::Write {
            request(change, pull, &owner, true)?;
        }
    }
    Ok(())
}

fn reviewer(change: Change<'_>, repository: &Repository, pull: &Pull, login: &str) -> Result<User> {
    let tx = change.tx;
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

fn request(change: Change<'_>, pull: &Pull, user: &User, as_code_owner: bool) -> Result<()> {
    if reviews::request(change.tx, pull.id(), user.id, as_code_owner, change.at)? {
        record(change, pull, user, "review_requested")?;
    }
    Ok(())
}

fn record(change: Change<'_>, pull: &Pull, user: &User, what: &str) -> Result<()> {
    let data = Some(json!({ "requested_reviewer": { "id": user.id } }));
    change.timeline(pull.id(), what, data.clone())?;
    change.issue_event(&pull.issue, what, data)
}
