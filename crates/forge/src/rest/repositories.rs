//! Repositories.

use super::prelude::*;
use crate::actions::repositories::{self as actions, Creation, Edit};
use crate::store::{repositories, users};
use crate::views::{self, repositories as bodies};

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/user/repos", post(create))
        .route("/orgs/{login}/repos", post(create))
        .route(
            "/repos/{owner}/{repo}",
            get(one).patch(update).delete(remove),
        )
        .route("/repos/{owner}/{repo}/forks", post(fork))
        .route(
            "/repos/{owner}/{repo}/collaborators/{login}/permission",
            get(permission),
        )
}

async fn one(call: Call) -> Answer {
    let found = call.repository(Permission::Read)?;
    call.show(|view| bodies::full(view, &found, Some(&call.caller)))
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
    let updated = actions::update(call.on(&found), edit).await?;
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
        let user = users::by_login(view.conn, call.path("login"))?;
        let user = user.ok_or(ApiError::NotFound)?;
        let given = repositories::permission(view.conn, &repository, Some(&user))?;
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

fn is_private(private: Option<bool>, visibility: Option<&str>) -> Option<bool> {
    match visibility {
        Some("private" | "internal") => Some(true),
        Some("public") => Some(false),
        _ => private,
    }
}
