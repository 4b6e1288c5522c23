//! Marking a conversation as resolved.

use crate::actions::prelude::*;
use crate::store::review_threads::{self, Thread};

/// The author of the pull request may, and anyone who may write.
pub(crate) async fn set_resolved(
    cx: RepoContext<'_>,
    pull: &Pull,
    thread: &Thread,
    resolved: bool,
) -> Result<Thread> {
    let user_id = cx.allowed_to_change(Permission::Read)?.id;
    if user_id != pull.issue.author_id {
        cx.allowed(Permission::Write)?;
    }
    let id = thread.id;
    cx.change(move |change| {
        let thread = review_threads::by_id(change.tx, id)?.ok_or(ApiError::NotFound)?;
        if thread.resolved_by.is_some() == resolved {
            return Ok(thread);
        }
        review_threads::set_resolved(change.tx, id, resolved.then_some(user_id))?;
        let action = if resolved { "resolved" } else { "unresolved" };
        change.event("pull_request_review_thread", action, id, None)?;
        review_threads::by_id(change.tx, id)?.ok_or(ApiError::NotFound)
    })
    .await
}
