//! Opinions that do not count any more.

use rusqlite::Transaction;
use serde_json::json;

use super::{begin, event, find, unprocessable};
use crate::actions::pulls::record::{self, Doing};
use crate::actions::rules;
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, Result};
use crate::store::pulls::Pull;
use crate::store::repositories::{Permission, Repository};
use crate::store::reviews::{self, Review, ReviewState};

/// Takes an opinion away from its author.
pub(crate) async fn dismiss(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    pull: &Pull,
    review: &Review,
    message: String,
) -> Result<Review> {
    let doing = begin(app, caller, repository)?;
    let user = caller.user()?.clone();
    app.read(|conn| {
        caller.check(conn, repository, Permission::Write)?;
        let protection = rules::protection_of(conn, repository.id, &pull.base_ref)?;
        let chosen = protection.and_then(|found| found.reviews?.dismissal_users);
        match chosen {
            Some(users) if !users.contains(&user.id) => Err(ApiError::Forbidden(
                "You are not allowed to dismiss reviews of this branch.".to_owned(),
            )),
            _ => Ok(()),
        }
    })?;
    if !review.state.is_opinion() {
        let state = review.state.as_str().to_ascii_lowercase().replace('_', " ");
        return Err(unprocessable(&format!(
            "Can not dismiss a {state} pull request review"
        )));
    }
    let (pull, review) = (pull.clone(), review.clone());
    app.write(move |tx| {
        record_dismissal(tx, &pull, &review, Some(&message), &doing)?;
        find(tx, review.id)
    })
    .await
}

/// After a push, where the base branch wants new commits approved again.
pub(crate) fn dismiss_stale(tx: &Transaction<'_>, pull: &Pull, doing: &Doing) -> Result<()> {
    for review in reviews::latest_opinions(tx, pull.id())? {
        if review.state == ReviewState::Approved {
            record_dismissal(tx, pull, &review, None, doing)?;
        }
    }
    Ok(())
}

fn record_dismissal(
    tx: &Transaction<'_>,
    pull: &Pull,
    review: &Review,
    message: Option<&str>,
    doing: &Doing,
) -> Result<()> {
    reviews::dismiss(tx, review.id, &doing.at)?;
    let data = Some(json!({ "dismissed_review": {
        "state": review.state.as_str().to_ascii_lowercase(),
        "review_id": review.id,
        "dismissal_message": message,
    } }));
    record::note(tx, pull, doing, "review_dismissed", data)?;
    let repository_id = pull.issue.repository_id;
    event(
        tx,
        repository_id,
        "pull_request_review",
        "dismissed",
        review.id,
        doing,
    )
}
