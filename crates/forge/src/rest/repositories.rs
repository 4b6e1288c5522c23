use std::collections::HashMap;

use axum::Router;
use axum::routing::get;
use serde_json::json;

use super::call::{Answer, Call, accepted, no_content};
use crate::actions::repositories::{self as actions, Creation, Edit};
use crate::app::App;
use crate::error::ApiError;
use crate::store::repositories::{self, Permission, Repository};
use crate::store::users;
use crate::views::{self, repositories as bodies};

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/user/repos", get(own).post(create))
        .route("/users/{login}/repos", get(for_owner))
        .route("/orgs/{login}/repos", get(for_owner).post(create))
        .route(
            "/repos/{owner}/{repo}",
            get(one).patch(update).delete(remove),
        )
        .route("/repos/{owner}/{repo}/forks", get(forks).post(fork))
        .route(
            "/repos/{owner}/{repo}/collaborators/{login}/permission",
            get(permission),
        )
}

async fn one(call: Call) -> Answer {
    let found = call.repository(Permission::Read)?;
    call.show(|view| bodies::full(view, &found, Some(&call.caller)))
}

/// Everything the caller has a right in, beyond what everyone has.
async fn own(call: Call) -> Answer {
    let user = call.caller.user()?;
    let is_owner_only = ["type", "affiliation"].map(|key| call.get(key) == Some("owner"));
    let only_owned = is_owner_only.contains(&true);
    let found = call.app.read(|connection| {
        let mut found = Vec::new();
        for repository in repositories::all(connection)? {
            let is_owner = repository.owner.id == user.id;
            let permission = call.caller.permission(connection, &repository)?;
            if is_owner || (!only_owned && permission > Permission::Read) {
                found.push(repository);
            }
        }
        Ok(found)
    })?;
    call.list(narrow(found, &call.query), |view, repository| {
        bodies::ordinary(view, repository, Some(&call.caller))
    })
}

async fn for_owner(call: Call) -> Answer {
    let all = call.app.read(|connection| {
        let owner = users::by_login(connection, call.path("login"))?;
        let owner = owner.ok_or(ApiError::NotFound)?;
        Ok(repositories::for_owner(connection, owner.id)?)
    })?;
    list(&call, narrow(all, &call.query))
}

async fn forks(call: Call) -> Answer {
    let source = call.repository(Permission::Read)?;
    let forks = call
        .app
        .rows(|connection| repositories::forks_of(connection, source.id))?;
    list(&call, forks)
}

/// Only what the caller may read.
fn list(call: &Call, all: Vec<Repository>) -> Answer {
    let mut readable = Vec::new();
    for repository in all {
        let given = call
            .app
            .read(|connection| call.caller.permission(connection, &repository))?;
        if given >= Permission::Read {
            readable.push(repository);
        }
    }
    call.list(readable, |view, repository| {
        bodies::minimal(view, repository, Some(&call.caller))
    })
}

/// For the caller, or for the organisation in the address.
async fn create(call: Call) -> Answer {
    let mut input = call.payload()?;
    let (private, visibility) = (input.flag("private"), input.text("visibility"));
    let (name, description) = (input.text("name"), input.text("description"));
    input.finish()?;
    let login = match call.path("login") {
        "" => &call.caller.user()?.login,
        login => login,
    };
    let owner = actions::owner_for(&call.app, &call.caller, login)?;
    let missing = || ApiError::invalid("Repository", "name", "missing_field", None);
    let creation = Creation {
        name: name.ok_or_else(missing)?,
        description,
        private: is_private(private, visibility.as_deref()).unwrap_or(false),
        default_branch: "main".to_owned(),
        path: None,
    };
    let made = actions::create(&call.app, &owner, creation).await?;
    call.show_new(|view| bodies::full(view, &made, Some(&call.caller)))
}

async fn update(call: Call) -> Answer {
    let mut input = call.payload()?;
    let (private, visibility) = (input.flag("private"), input.text("visibility"));
    let edit = Edit {
        name: input.text("name"),
        description: input.nullable_text("description"),
        private: is_private(private, visibility.as_deref()),
        archived: input.flag("archived"),
        has_issues: input.flag("has_issues"),
        default_branch: input.text("default_branch"),
        allow_merge_commit: input.flag("allow_merge_commit"),
        allow_squash_merge: input.flag("allow_squash_merge"),
        allow_rebase_merge: input.flag("allow_rebase_merge"),
        allow_auto_merge: input.flag("allow_auto_merge"),
        allow_update_branch: input.flag("allow_update_branch"),
        delete_branch_on_merge: input.flag("delete_branch_on_merge"),
        squash_merge_commit_title: input.text("squash_merge_commit_title"),
        squash_merge_commit_message: input.text("squash_merge_commit_message"),
        merge_commit_title: input.text("merge_commit_title"),
        merge_commit_message: input.text("merge_commit_message"),
    };
    input.finish()?;
    let found = call.repository(Permission::Admin)?;
    // What was archived can only be brought back.
    if found.archived && edit.archived != Some(false) {
        let message = "Repository was archived so is read-only.";
        return Err(ApiError::Forbidden(message.to_owned()));
    }
    let updated = actions::update(&call.app, &call.caller, &found, edit).await?;
    call.show(|view| bodies::full(view, &updated, Some(&call.caller)))
}

async fn remove(call: Call) -> Answer {
    if call.caller.user.is_some() && !call.caller.has_scope("delete_repo") {
        let message = "Must have admin rights to Repository.";
        return Err(ApiError::Forbidden(message.to_owned()));
    }
    actions::delete(&call.app, &call.repository(Permission::Admin)?).await?;
    no_content()
}

async fn fork(call: Call) -> Answer {
    let mut input = call.payload()?;
    let (organization, name) = (input.text("organization"), input.text("name"));
    let only_default = input.flag("default_branch_only") == Some(true);
    input.finish()?;
    let source = call.repository(Permission::Read)?;
    let login = match &organization {
        Some(login) => login,
        None => &call.caller.user()?.login,
    };
    let owner = actions::owner_for(&call.app, &call.caller, login)?;
    let made = actions::fork(&call.app, &owner, &source, name, only_default).await?;
    accepted(
        call.app
            .show(|view| bodies::full(view, &made, Some(&call.caller)))?,
    )
}

async fn permission(call: Call) -> Answer {
    let repository = call.repository(Permission::Read)?;
    call.show(|view| {
        let user = users::by_login(view.connection, call.path("login"))?;
        let user = user.ok_or(ApiError::NotFound)?;
        let given = repositories::permission(view.connection, &repository, Some(&user))?;
        let mut shown = views::users::simple(view.urls, &user);
        shown["permissions"] = bodies::permissions(given);
        shown["role_name"] = json!(given.as_str());
        // Before there were finer roles, there were these.
        let coarse = match given {
            Permission::None => "none",
            Permission::Read | Permission::Triage => "read",
            Permission::Write | Permission::Maintain => "write",
            Permission::Admin => "admin",
        };
        Ok(json!({ "permission": coarse, "role_name": given.as_str(), "user": shown }))
    })
}

/// `type`, `visibility`, `sort` and `direction`, as far as they make a difference here.
fn narrow(mut all: Vec<Repository>, query: &HashMap<String, String>) -> Vec<Repository> {
    for key in ["type", "visibility"] {
        match query.get(key).map(String::as_str) {
            Some("public") => all.retain(|repository| !repository.private),
            Some("private") => all.retain(|repository| repository.private),
            _ => {}
        }
    }
    let sort = query.get("sort").map_or("full_name", String::as_str);
    all.sort_by_cached_key(|repository| match sort {
        "created" => format!("{} {:20}", repository.created_at, repository.id),
        "updated" => repository.updated_at.clone(),
        "pushed" => repository.pushed_at.clone().unwrap_or_default(),
        _ => repository.full_name().to_ascii_lowercase(),
    });
    let descending = match query.get("direction").map(String::as_str) {
        Some("desc") => true,
        Some("asc") => false,
        _ => sort != "full_name",
    };
    if descending {
        all.reverse();
    }
    all
}

fn is_private(private: Option<bool>, visibility: Option<&str>) -> Option<bool> {
    match visibility {
        Some("private" | "internal") => Some(true),
        Some("public") => Some(false),
        _ => private,
    }
}
