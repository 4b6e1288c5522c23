//! GitHub's own stacks: made from open pull requests of one repository, merged from the bottom up.

use std::collections::BTreeSet;

use super::{oid, record};
use crate::actions::prelude::*;
use crate::store::stacks::{self, Stack};
use crate::store::{merge_queue, pulls, refs};

/// GitHub's limit.
pub(crate) const MAX_SIZE: usize = 100;

/// What GraphQL answers to any other way of merging.
pub(super) const ONLY_IN_BACKGROUND: &str = "This pull request is part of a stack and must be \
    merged using the asynchronous merge REST API.";

pub(super) fn is_stacked(app: &App, pull: &Pull) -> Result<bool> {
    let place = app.rows(|conn| stacks::place(conn, pull.id()))?;
    Ok(place.is_some())
}

/// Of pull requests by their numbers, from the bottom up.
pub(crate) async fn create(cx: RepoContext<'_>, numbers: Vec<i64>) -> Result<Stack> {
    cx.allowed_to_change(Permission::Write)?;
    let guard = cx.app.lock_pulls(cx.repository.id).await;
    let made = cx.change(move |change| {
        let new = find_unstacked(change, &numbers)?;
        check_chain(&[], &new)?;
        let id = stacks::create(change.tx, change.repository_id, &new[0].base_ref, change.at)?;
        add_members(change, id, &new)
    });
    let made = made.await;
    drop(guard);
    made
}

/// Puts more on top.
pub(crate) async fn extend(cx: RepoContext<'_>, id: i64, numbers: Vec<i64>) -> Result<Stack> {
    cx.allowed_to_change(Permission::Write)?;
    let guard = cx.app.lock_pulls(cx.repository.id).await;
    let made = cx.change(move |change| {
        let new = find_unstacked(change, &numbers)?;
        let stack = stacks::by_id(change.tx, id)?.ok_or(ApiError::NotFound)?;
        check_chain(&stack.members, &new)?;
        add_members(change, id, &new)
    });
    let made = made.await;
    drop(guard);
    made
}

/// Takes out what was not merged and is not about to be. What is left is returned.
pub(crate) async fn unstack(cx: RepoContext<'_>, id: i64) -> Result<Option<Stack>> {
    cx.allowed_to_change(Permission::Write)?;
    let guard = cx.app.lock_pulls(cx.repository.id).await;
    let background = cx.app.clone();
    let left = cx.change(move |change| {
        let stack = stacks::by_id(change.tx, id)?.ok_or(ApiError::NotFound)?;
        let mut removed = 0;
        // A merge takes along what is below it.
        for pull in stack.members.iter().rev() {
            if background.background_merges().is_pending(pull) {
                break;
            }
            let queued = merge_queue::for_pull(change.tx, pull.id())?.is_some();
            if pull.merged.is_none() && !queued {
                stacks::remove_member(change.tx, pull.id())?;
                removed += 1;
            }
        }
        if removed == 0 {
            return Err(unprocessable(
                "Pull requests in this stack cannot be removed",
            ));
        }
        Ok(stacks::by_id(change.tx, id)?)
    });
    let left = left.await;
    drop(guard);
    left
}

fn find_unstacked(change: Change<'_>, numbers: &[i64]) -> Result<Vec<Pull>> {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for number in numbers {
        match pulls::by_number(change.tx, change.repository_id, *number)? {
            Some(pull) => found.push(pull),
            None => missing.push(*number),
        }
    }
    if !missing.is_empty() {
        return Err(ApiError::Invalid(vec![FieldError {
            value: Some(missing.into()),
            ..FieldError::new("Stack", "pull_requests", "missing")
        }]));
    }
    for pull in &found {
        if stacks::place(change.tx, pull.id())?.is_some() {
            let number = pull.number();
            return Err(unprocessable(&format!(
                "Pull request #{number} is already part of a stack"
            )));
        }
    }
    Ok(found)
}

/// Each builds on the one below, in the same repository, and none on one above it.
fn check_chain(below: &[Pull], new: &[Pull]) -> Result<()> {
    let all: Vec<&Pull> = below.iter().chain(new).collect();
    if all.len() > MAX_SIZE {
        return Err(unprocessable(&format!(
            "A stack has no more than {MAX_SIZE} pull requests"
        )));
    }
    // On a merged one, nothing can be put any more.
    let changed = &all[below.len().saturating_sub(1)..];
    if let Some(pull) = changed.iter().find(|pull| !pull.is_open()) {
        let number = pull.number();
        return Err(unprocessable(&format!(
            "Pull request #{number} is not open"
        )));
    }
    let is_linear = changed
        .windows(2)
        .all(|pair| pair[1].base_ref == pair[0].head_ref);
    let is_foreign = changed.iter().any(|pull| pull.is_cross_repository());
    let base = &all[0].base_ref;
    let heads: BTreeSet<&String> = all.iter().map(|pull| &pull.head_ref).collect();
    let is_circle = heads.contains(base) || heads.len() < all.len();
    if is_linear && !is_foreign && !is_circle {
        return Ok(());
    }
    Err(unprocessable(
        "Pull requests must form a stack, where each PR's base ref is the previous PR's head ref",
    ))
}

/// Nothing waits for its merge in a stack.
fn add_members(change: Change<'_>, id: i64, new: &[Pull]) -> Result<Stack> {
    for pull in new {
        stacks::add_member(change.tx, id, pull.id())?;
    }
    for pull in new {
        record::give_up_merging(change, pull, "MANUAL")?;
        change.issue_event(&pull.issue, "stacked", None)?;
    }
    stacks::by_id(change.tx, id)?.ok_or_else(|| ApiError::internal("a stack vanished"))
}

fn unprocessable(message: &str) -> ApiError {
    ApiError::refused(StatusCode::UNPROCESSABLE_ENTITY, message)
}

/// What is merged together: a pull request and all below it in its stack.
pub(super) struct Group {
    /// From the bottom up; the last one is the one that was named.
    pub(super) members: Vec<Pull>,
    pub(super) base_ref: String,
    pub(super) base_sha: String,
    is_stacked: bool,
}

impl Group {
    pub(super) fn find(app: &App, repository: &Repository, id: i64) -> Result<Self> {
        let pull = super::reread(app, id)?;
        app.read(|conn| {
            let Some(stack) = stacks::for_pull(conn, id)? else {
                return Ok(Self {
                    base_ref: pull.base_ref.clone(),
                    base_sha: pull.base_sha.clone(),
                    members: vec![pull],
                    is_stacked: false,
                });
            };
            let name = format!("refs/heads/{}", stack.base_ref);
            let tip = refs::find(conn, repository.id, &name)?;
            let place = stack.members.iter().position(|member| member.id() == id);
            let mut members = stack.members;
            members.truncate(place.map_or(0, |place| place + 1));
            members.retain(|member| member.merged.is_none() || member.id() == id);
            Ok(Self {
                members,
                base_ref: stack.base_ref,
                base_sha: tip.unwrap_or(pull.base_sha),
                is_stacked: true,
            })
        })
    }

    /// The pull request as it would be if it went straight to where it goes in the end.
    pub(super) fn aimed(&self, pull: &Pull) -> Pull {
        Pull {
            base_ref: self.base_ref.clone(),
            base_sha: self.base_sha.clone(),
            ..pull.clone()
        }
    }

    /// GitHub lets no one bypass the rules of a stack.
    pub(super) fn bypasser<'a>(&self, user: &'a User) -> Option<&'a User> {
        (!self.is_stacked).then_some(user)
    }

    /// Each branch has to contain the one below.
    pub(super) async fn is_linear(&self, app: &App, repository: &Repository) -> Result<bool> {
        for pair in self.members.windows(2) {
            let (below, above) = (oid(&pair[0].head_sha)?, oid(&pair[1].head_sha)?);
            if !app.git(repository).is_ancestor(&below, &above).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
