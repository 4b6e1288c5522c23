//! Payloads about pushes, refs and repositories.

use baton_host::git::Oid;
use serde_json::{Map, Value, json};

use super::{Fields, Occasion, fields, object};
use crate::actions::pushes::NO_COMMIT;
use crate::error::Result;
use crate::git::{Commit, FileStatus, GitRepository, HistoryRange};
use crate::views::{commits, repositories};

/// The newest ones of a push. Each costs a look at its files; anyone who needs
/// all of a larger push has its two ends.
const MAX_COMMITS: usize = 20;

pub(super) async fn push(occasion: &Occasion<'_>) -> Fields {
    let Some(data) = occasion.data() else {
        return Ok(None);
    };
    let text = |key: &str| data.get(key).and_then(Value::as_str).unwrap_or_default();
    let flag = |key: &str| data.get(key).and_then(Value::as_bool).unwrap_or_default();
    let (name, before, after) = (text("ref"), text("before"), text("after"));
    let commits = match Oid::parse(after).filter(|_| after != NO_COMMIT) {
        Some(head) => new_commits(occasion, name, before, &head).await?,
        None => Vec::new(),
    };
    let page = |rest: String| {
        let full_name = occasion.repository.full_name();
        occasion.app.urls().page(&format!("/{full_name}{rest}"))
    };
    let short = |oid: &str| oid.get(..12).unwrap_or(oid).to_owned();
    let compare = if before == NO_COMMIT {
        page(format!("/commit/{after}"))
    } else {
        page(format!("/compare/{}...{}", short(before), short(after)))
    };
    let sender = &occasion.sender;
    fields(json!({
        "ref": name,
        "before": before,
        "after": after,
        "created": flag("created"),
        "deleted": flag("deleted"),
        "forced": flag("forced"),
        "base_ref": null,
        "compare": compare,
        "commits": commits,
        "head_commit": commits.last(),
        "pusher": { "name": sender.login, "email": sender.email },
        "repository": repository(occasion)?,
    }))
}

/// Also for a tag. GitHub tells of the short name here.
pub(super) fn branch_or_tag(occasion: &Occasion<'_>) -> Option<Map<String, Value>> {
    let name = occasion.data()?.get("ref")?.as_str()?;
    let (kind, short) = match name.strip_prefix("refs/tags/") {
        Some(tag) => ("tag", tag),
        None => ("branch", name.strip_prefix("refs/heads/").unwrap_or(name)),
    };
    let mut fields = object(json!({
        "ref": short,
        "ref_type": kind,
        "pusher_type": "user",
    }));
    if occasion.event.kind == "create" {
        let repository = &occasion.repository;
        fields.extend(object(json!({
            "master_branch": repository.default_branch,
            "description": repository.description,
        })));
    }
    Some(fields)
}

/// Oldest first. Of a new branch, what the default branch does not have.
async fn new_commits(
    occasion: &Occasion<'_>,
    name: &str,
    before: &str,
    head: &Oid,
) -> Result<Vec<Value>> {
    let git = occasion.app.git(&occasion.repository);
    let default = &occasion.repository.default_branch;
    let exclude = if before != NO_COMMIT {
        Oid::parse(before)
    } else if name == format!("refs/heads/{default}") {
        None
    } else {
        git.branch(default).await?
    };
    // What was there before may be gone for good.
    let exclude = match exclude {
        Some(oid) if git.commit(&oid).await?.is_some() => Some(oid),
        _ => None,
    };
    let range = HistoryRange {
        exclude: exclude.as_ref(),
        limit: Some(MAX_COMMITS),
        ..HistoryRange::new(head)
    };
    let mut oids = git.history(&range).await?;
    oids.reverse();
    let mut shown = Vec::new();
    for commit in git.commits(&oids).await? {
        shown.push(body(occasion, &git, &commit).await?);
    }
    Ok(shown)
}

async fn body(occasion: &Occasion<'_>, git: &GitRepository, commit: &Commit) -> Result<Value> {
    let from = match commit.parents.first() {
        Some(parent) => parent.clone(),
        None => git.empty_tree().await?,
    };
    let changed = git.diff(&from, &commit.oid).await?;
    let paths = |wanted: &[FileStatus]| -> Vec<&str> {
        let files = changed.iter().filter(|file| wanted.contains(&file.status));
        files.map(|file| file.path.as_str()).collect()
    };
    let page = format!("/{}/commit/{}", occasion.repository.full_name(), commit.oid);
    Ok(json!({
        "id": commit.oid.as_str(),
        "tree_id": commit.tree.as_str(),
        "distinct": true,
        "message": commit.message,
        "timestamp": commit.committer.date,
        "url": occasion.app.urls().page(&page),
        "author": commits::person(&commit.author),
        "committer": commits::person(&commit.committer),
        "added": paths(&[FileStatus::Added, FileStatus::Copied]),
        "removed": paths(&[FileStatus::Removed]),
        "modified": paths(&[FileStatus::Modified, FileStatus::Renamed, FileStatus::Changed]),
    }))
}

/// Only here, GitHub writes times as numbers.
fn repository(occasion: &Occasion<'_>) -> Result<Value> {
    let mut body =
        occasion.show(|view| repositories::ordinary(view, &occasion.repository, None))?;
    for key in ["created_at", "pushed_at"] {
        let time = body[key].as_str().and_then(|text| text.parse().ok());
        if let Some(time) = time.map(jiff::Timestamp::as_second) {
            body[key] = json!(time);
        }
    }
    body["stargazers"] = body["stargazers_count"].clone();
    body["master_branch"] = body["default_branch"].clone();
    Ok(body)
}
