//! What an event means to the runner.

use baton_host::git::Oid;
use rusqlite::Connection;
use serde_json::Value;

use crate::error::Result;
use crate::store::events::Event;
use crate::store::repositories::{self, Permission, Repository};
use crate::store::workflow_runs::{self, RunFilter};
use crate::store::{pulls, users};

/// Branches of merge queues, as GitHub names them.
const QUEUE_PREFIX: &str = "gh-readonly-queue/";

/// What follows from an event.
#[derive(Debug, Clone)]
pub(super) enum Meaning {
    Check(Box<Trigger>),
    /// No one waits for the checks of this branch any more.
    Abandon {
        repository_id: i64,
        branch: String,
    },
    Nothing,
}

/// A commit that something happened to.
#[derive(Debug, Clone)]
pub(crate) struct Trigger {
    pub(crate) repository: Repository,
    pub(crate) event: &'static str,
    pub(crate) sha: Oid,
    pub(crate) branch: String,
    pub(crate) before: Option<String>,
    /// Where the branch is: elsewhere, for a pull request from a fork.
    pub(crate) head_repository_id: i64,
    /// What people call it, where it is not the subject of the commit.
    pub(crate) title: Option<String>,
    pub(crate) actor_id: Option<i64>,
    /// Whether the author of the commit may have commands executed.
    pub(crate) trusted: bool,
}

pub(super) fn meaning_of(conn: &Connection, event: &Event) -> Result<Meaning> {
    match (event.kind.as_str(), event.action.as_deref(), &event.data) {
        ("push", _, Some(data)) => for_push(conn, event, data),
        ("pull_request", Some("opened" | "reopened" | "synchronize"), _) => {
            for_pull_request(conn, event)
        }
        _ => Ok(Meaning::Nothing),
    }
}

fn for_push(conn: &Connection, event: &Event, data: &Value) -> Result<Meaning> {
    let text = |key: &str| data.get(key).and_then(Value::as_str);
    let Some(branch) = text("ref").and_then(|name| name.strip_prefix("refs/heads/")) else {
        return Ok(Meaning::Nothing);
    };
    let is_queue = branch.starts_with(QUEUE_PREFIX);
    let is_gone = data["deleted"].as_bool().unwrap_or(false);
    let sha = text("after").and_then(Oid::parse).filter(|_| !is_gone);
    let Some(sha) = sha else {
        return Ok(if is_queue {
            Meaning::Abandon {
                repository_id: event.repository_id,
                branch: branch.to_owned(),
            }
        } else {
            Meaning::Nothing
        });
    };
    let repository = repositories::by_id(conn, event.repository_id)?;
    // As at GitHub, a fork checks nothing of its own until someone wants it.
    let asks_for_checks = repository.check_command.is_some() || repository.pushed_checks;
    if repository.fork_of.is_some() && !asks_for_checks {
        return Ok(Meaning::Nothing);
    }
    Ok(Meaning::Check(Box::new(Trigger {
        event: if is_queue { "merge_group" } else { "push" },
        sha,
        branch: branch.to_owned(),
        before: text("before").map(str::to_owned),
        head_repository_id: repository.id,
        title: None,
        // A run always has someone: the queue, and who pushes behind the forge's back,
        // act for the owner.
        actor_id: event.actor_id.or(Some(repository.owner.id)),
        trusted: true,
        repository,
    })))
}

/// A pull request from a fork. One from the repository itself is checked by
/// the push of its branch.
fn for_pull_request(conn: &Connection, event: &Event) -> Result<Meaning> {
    let pull = match event.subject_id {
        Some(id) => pulls::by_id(conn, id)?,
        None => None,
    };
    let Some(pull) = pull.filter(|pull| pull.is_open() && pull.is_cross_repository()) else {
        return Ok(Meaning::Nothing);
    };
    let (Some(head_repository_id), Some(sha)) =
        (pull.head_repository_id, Oid::parse(&pull.head_sha))
    else {
        return Ok(Meaning::Nothing);
    };
    let repository = repositories::by_id(conn, event.repository_id)?;
    let known = RunFilter {
        branch: Some(&pull.head_ref),
        event: Some("pull_request"),
        head_sha: Some(&pull.head_sha),
        ..RunFilter::default()
    };
    let known = workflow_runs::for_repository(conn, repository.id, &known, 1, 0)?;
    if !known.is_empty() {
        return Ok(Meaning::Nothing);
    }
    let owner_id = repositories::by_id(conn, head_repository_id)?.owner.id;
    // Who pushes to a fork without the forge's help acts for its owner.
    let pusher_id = event.actor_id.unwrap_or(owner_id);
    let people = [pull.issue.author_id, pusher_id, owner_id];
    let trusted = may_all_write(conn, &repository, &people)?;
    Ok(Meaning::Check(Box::new(Trigger {
        event: "pull_request",
        sha,
        branch: pull.head_ref.clone(),
        before: None,
        head_repository_id,
        title: Some(pull.issue.title.clone()),
        actor_id: event.actor_id,
        trusted,
        repository,
    })))
}

/// A fork is pushed to by people whom its base does not know, so its commits
/// are trusted only where the author of the pull request, the one who pushed
/// or opened it, and the owner of the fork may all push to the base, too.
fn may_all_write(conn: &Connection, base: &Repository, user_ids: &[i64]) -> Result<bool> {
    for id in user_ids {
        let user = users::by_id(conn, *id)?;
        if repositories::permission(conn, base, Some(&user))? < Permission::Write {
            return Ok(false);
        }
    }
    Ok(true)
}
