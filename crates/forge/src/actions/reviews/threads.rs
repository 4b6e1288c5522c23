//! Marking a conversation as resolved.

use super::{begin, event};
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, Result};
use crate::store::pulls::Pull;
use crate::store::repositories::{Permission, Repository};
use crate::store::review_threads::{self, Thread};

/// The author of the pull request may, and anyone who may write.
pub(crate) async fn set_resolved(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    pull: &Pull,
    thread: &Thread,
    resolved: bool,
) -> Result<Thread> {
    let doing = begin(app, caller, repository)?;
    let user_id = caller.user()?.id;
    if user_id != pull.issue.author_id {
        app.read(|conn| caller.check(conn, repository, Permission::Write))?;
    }
    let (id, repository_id) = (thread.id, repository.id);
    app.write(move |tx| {
        let thread = review_threads::by_id(tx, id)?.ok_or(ApiError::NotFound)?;
        if thread.resolved_by.is_some() == resolved {
            return Ok(thread);
        }
        review_threads::set_resolved(tx, id, resolved.then_some(user_id))?;
        let action = if resolved { "resolved" } else { "unresolved" };
        let kind = "pull_request_review_thread";
        event(tx, repository_id, kind, action, id, &doing)?;
        review_threads::by_id(tx, id)?.ok_or(ApiError::NotFound)
    })
    .await
}
