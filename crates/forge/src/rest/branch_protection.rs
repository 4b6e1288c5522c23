//! Branch protection.

use rusqlite::Connection;

use super::payload::Payload;
use super::prelude::*;
use crate::actions::protection as actions;
use crate::actions::rules;
use crate::store::branch_protections::{
    BranchProtection, RequiredCheck, RequiredChecks, RequiredReviews,
};
use crate::store::{refs, users};
use crate::views::rules::{admins, protection, protection_url};

const MAX_APPROVALS: u32 = 6;

pub(super) fn routes() -> Router<App> {
    const ONE: &str = "/repos/{owner}/{repo}/branches/{branch}/protection";
    Router::new()
        .route(ONE, get(read).put(put).delete(remove))
        .route(
            &format!("{ONE}/enforce_admins"),
            post(enforce_admins).delete(exempt_admins),
        )
}

/// The repository, when the caller administers it and has that branch.
fn administered(call: &Call) -> Result<Repository> {
    let repository = call.repository(Permission::Admin)?;
    let name = format!("refs/heads/{}", call.path("branch"));
    let oid = call.rows(|conn| refs::find(conn, repository.id, &name))?;
    oid.ok_or_else(|| ApiError::refused(StatusCode::NOT_FOUND, "Branch not found"))?;
    Ok(repository)
}

fn find(call: &Call) -> Result<(Repository, BranchProtection)> {
    let (repository, branch) = (administered(call)?, call.path("branch"));
    let found = call.read(|conn| rules::protection_of(conn, repository.id, branch))?;
    let missing = || ApiError::refused(StatusCode::NOT_FOUND, "Branch not protected");
    Ok((repository, found.ok_or_else(missing)?))
}

async fn read(call: Call) -> Answer {
    let (repository, found) = find(&call)?;
    call.show(|view| protection(view, &repository, call.path("branch"), &found))
}

async fn put(call: Call) -> Answer {
    let repository = administered(&call)?;
    let mut input = call.payload()?;
    let branch = call.path("branch");
    let new = call.read(|conn| read_protection(conn, &mut input, repository.id, branch))?;
    input.finish()?;
    let new = actions::put(call.on(&repository), new).await?;
    call.show(|view| protection(view, &repository, branch, &new))
}

async fn remove(call: Call) -> Answer {
    let (repository, found) = find(&call)?;
    actions::delete(call.on(&repository), found).await?;
    no_content()
}

async fn enforce_admins(call: Call) -> Answer {
    let (repository, found) = set_admins(&call, true).await?;
    call.show(|view| {
        let url = protection_url(view, &repository, call.path("branch"));
        Ok(admins(&url, &found))
    })
}

async fn exempt_admins(call: Call) -> Answer {
    set_admins(&call, false).await?;
    no_content()
}

async fn set_admins(call: &Call, on: bool) -> Result<(Repository, BranchProtection)> {
    let (repository, mut found) = find(call)?;
    found.enforce_admins = on;
    let found = actions::put(call.on(&repository), found).await?;
    Ok((repository, found))
}

/// Everything that is not given is off.
fn read_protection(
    conn: &Connection,
    input: &mut Payload,
    repository_id: i64,
    branch: &str,
) -> Result<BranchProtection> {
    let mut on = |key| input.flag(key) == Some(true);
    let mut new = BranchProtection {
        repository_id,
        pattern: branch.to_owned(),
        enforce_admins: on("enforce_admins"),
        linear_history: on("required_linear_history"),
        force_pushes: on("allow_force_pushes"),
        deletions: on("allow_deletions"),
        block_creations: on("block_creations"),
        conversation_resolution: on("required_conversation_resolution"),
        lock_branch: on("lock_branch"),
        fork_syncing: on("allow_fork_syncing"),
        signatures: on("required_signatures"),
        ..BranchProtection::default()
    };
    if let Some(mut part) = input.object("required_status_checks") {
        new.checks = Some(RequiredChecks {
            strict: part.flag("strict") == Some(true),
            checks: read_checks(&mut part),
        });
        input.absorb(part);
    }
    if let Some(mut part) = input.object("required_pull_request_reviews") {
        new.reviews = Some(read_reviews(conn, &mut part)?);
        input.absorb(part);
    }
    if let Some(mut people) = input.object("restrictions") {
        let logins = people.texts("users").unwrap_or_default();
        new.push_users = Some(ids(conn, &logins)?);
    }
    Ok(new)
}

/// `checks` says more than `contexts` and wins. An app of -1 is any.
fn read_checks(part: &mut Payload) -> Vec<RequiredCheck> {
    let Some(checks) = part.objects("checks") else {
        let contexts = part.texts("contexts").unwrap_or_default().into_iter();
        return contexts
            .map(|context| RequiredCheck {
                context,
                app_id: None,
            })
            .collect();
    };
    let mut required = Vec::new();
    for mut check in checks {
        required.push(RequiredCheck {
            context: check.required_text("context"),
            app_id: check.integer("app_id").filter(|id| *id >= 0),
        });
        part.absorb(check);
    }
    required
}

fn read_reviews(conn: &Connection, part: &mut Payload) -> Result<RequiredReviews> {
    let approvals = part.line("required_approving_review_count").unwrap_or(1);
    if approvals > MAX_APPROVALS {
        let message = "Invalid request.\n\nrequired_approving_review_count must be at most 6";
        return Err(ApiError::Unprocessable(message.to_owned()));
    }
    let mut required = RequiredReviews {
        approvals,
        dismiss_stale: part.flag("dismiss_stale_reviews") == Some(true),
        code_owners: part.flag("require_code_owner_reviews") == Some(true),
        last_push_approval: part.flag("require_last_push_approval") == Some(true),
        ..RequiredReviews::default()
    };
    // An empty object restricts nothing.
    let people = part.object("dismissal_restrictions");
    if let Some(logins) = people.and_then(|mut people| people.texts("users")) {
        required.dismissal_users = Some(ids(conn, &logins)?);
    }
    let people = part.object("bypass_pull_request_allowances");
    if let Some(logins) = people.and_then(|mut people| people.texts("users")) {
        required.bypass_users = ids(conn, &logins)?;
    }
    Ok(required)
}

fn ids(conn: &Connection, logins: &[String]) -> Result<Vec<i64>> {
    let ids = logins.iter().map(|login| {
        let unknown = || ApiError::Unprocessable(format!("Validation Failed: no user {login}"));
        let user = users::by_login(conn, login)?;
        Ok(user.ok_or_else(unknown)?.id)
    });
    ids.collect()
}
