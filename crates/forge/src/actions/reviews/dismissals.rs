//! Opinions that do not count any more.

use super::{find, unprocessable};
use crate::actions::prelude::*;
use crate::actions::rules;
use crate::store::reviews::{self, Review, ReviewState};

/// Takes an opinion away from its author.
pub(crate) async fn dismiss(
    cx: RepoContext<'_>,
    pull: &Pull,
    review: &Review,
    message: String,
) -> Result<Review> {
    let user = cx.allowed_to_change(Permission::Write)?;
    let (id, base_ref) = (cx.repository.id, &pull.base_ref);
    let protection = cx
        .app
        .read(|conn| rules::protection_of(conn, id, base_ref))?;
    let chosen = protection.and_then(|found| found.reviews?.dismissal_users);
    if chosen.is_some_and(|users| !users.contains(&user.id)) {
        let message = "You are not allowed to dismiss reviews of this branch.";
        return Err(ApiError::Forbidden(message.to_owned()));
    }
    if !review.state.is_opinion() {
        let state = review.state.as_str().to_ascii_lowercase().replace('_', " ");
        return Err(unprocessable(&format!(
            "Can not dismiss a {state} pull request review"
        )));
    }
    let (pull, review) = (pull.clone(), review.clone());
    cx.change(move |change| {
        record_dismissal(change, &pull, &review, Some(&message))?;
        find(change.tx, review.id)
    })
    .await
}

/// After a push, where the base branch wants new commits approved again.
pub(crate) fn dismiss_stale(change: Change<'_>, pull: &Pull) -> Result<()> {
    for review in reviews::latest_opinions(change.tx, pull.id())? {
        if review.state == ReviewState::Approved {
            record_dismissal(change, pull, &review, None)?;
        }
    }
    Ok(())
}

fn record_dismissal(
    change: Change<'_>,
    pull: &Pull,
    review: &Review,
    message: Option<&str>,
) -> Result<()> {
    reviews::dismiss(change.tx, review.id, change.at)?;
    let data = Some(json!({ "dismissed_review": {
        "state": review.state.as_str().to_ascii_lowercase(),
        "review_id": review.id,
        "dismissal_message": message,
    } }));
    change.timeline(pull.id(), "review_dismissed", data)?;
    change.event("pull_request_review", "dismissed", review.id, None)
}
