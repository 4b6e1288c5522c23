//! Pull requests: from the first push to the merge.

mod auto_merge;
mod background;
mod closing;
mod code_owners;
mod counts;
mod create;
mod fixed_issues;
mod merge;
mod merge_commits;
mod merge_message;
mod mergeability;
mod queue;
mod reactor;
mod record;
mod requests;
mod restack;
pub(crate) mod stacks;
mod sync;
mod update;
mod update_branch;

use crate::actions::prelude::*;
use crate::actions::pushes;
use crate::git::Person;
use crate::store::{pulls, refs};

pub(crate) use auto_merge::{disable_auto_merge, enable_auto_merge};
pub(crate) use background::{
    BackgroundMerges, MergeAction, MergeRequest, Standing, merge_in_background,
};
pub(crate) use closing::references as closing_references;
pub(crate) use counts::{counts, diff, diff_text, mail_patches, pull_commits};
pub(crate) use create::{HeadName, NewPullRequest, create};
pub(crate) use fixed_issues::close_fixed_issues;
pub(crate) use merge::{MergeOrder, merge};
pub(crate) use mergeability::{MergeState, Mergeability, mergeability};
pub(crate) use queue::{dequeue, enqueue};
pub(crate) use reactor::react;
pub(crate) use requests::{request_reviews, withdraw_review_requests};
pub(crate) use sync::sync_repository;
pub(crate) use update::{PullChange, set_draft, update};
pub(crate) use update_branch::update_branch;

/// A pull request that the caller may see.
pub(crate) fn find(cx: RepoContext<'_>, number: i64) -> Result<Pull> {
    cx.app.read(|conn| {
        cx.caller.check(conn, cx.repository, Permission::Read)?;
        pulls::by_number(conn, cx.repository.id, number)?.ok_or(ApiError::NotFound)
    })
}

/// The newest state of a pull request that is known to exist.
pub(crate) fn reread(app: &App, id: i64) -> Result<Pull> {
    app.read(|conn| pulls::by_id(conn, id)?.ok_or(ApiError::NotFound))
}

/// A stored commit id.
pub(crate) fn oid(sha: &str) -> Result<Oid> {
    Oid::parse(sha).ok_or_else(|| ApiError::internal(format!("`{sha}` is no commit id")))
}

/// Where a branch is, as far as the forge has seen: pull requests are held to
/// the same. What others did to a folder of their own is looked at first.
async fn branch(app: &App, repository: &Repository, name: &str) -> Result<Option<Oid>> {
    if repository.path.is_some() {
        pushes::notice(app, repository, None).await?;
    }
    let ref_name = format!("refs/heads/{name}");
    let found = app.rows(|conn| refs::find(conn, repository.id, &ref_name))?;
    found.as_deref().map(oid).transpose()
}

/// Who commits what the forge makes by itself.
fn forge_person(at: &str) -> Person {
    Person {
        name: "Forge".to_owned(),
        email: "noreply@forge.localhost".to_owned(),
        date: at.to_owned(),
    }
}
