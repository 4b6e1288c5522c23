use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, get};
use axum::{Json, Router};
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::actions::protection as actions;
use crate::actions::rules;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::rest::input::Input;
use crate::rest::users;
use crate::rest::view::View;
use crate::store::branch_protections::{
    self, BranchProtection, RequiredCheck, RequiredChecks, RequiredReviews,
};
use crate::store::refs;
use crate::store::repositories::{Permission, Repository};
use crate::store::users as user_rows;
use crate::urls::encoded;

pub(crate) fn routes() -> Router<App> {
    const ONE: &str = "/repos/{owner}/{repo}/branches/{branch}/protection";
    Router::new()
        .route(ONE, get(read).put(put).delete(remove))
        .route(
            &format!("{ONE}/required_status_checks"),
            get(read_checks).patch(patch_checks).delete(remove_checks),
        )
        .route(
            &format!("{ONE}/required_status_checks/contexts"),
            get(read_contexts),
        )
        .route(
            &format!("{ONE}/required_pull_request_reviews"),
            get(read_reviews)
                .patch(patch_reviews)
                .delete(remove_reviews),
        )
        .route(
            &format!("{ONE}/enforce_admins"),
            get(read_admins).post(enforce_admins).delete(exempt_admins),
        )
        .route(
            &format!("{ONE}/restrictions"),
            get(read_restrictions).merge(delete(remove_restrictions)),
        )
}

/// `branch-protection` in GitHub's description.
pub(crate) fn protection(
    view: View<'_>,
    repository: &Repository,
    branch: &str,
    found: &BranchProtection,
) -> Result<Value, ApiError> {
    let url = address(view, repository, branch);
    let mut body = json!({
        "url": url,
        "required_signatures": {
            "url": format!("{url}/required_signatures"),
            "enabled": found.signatures,
        },
        "enforce_admins": admins(&url, found),
        "required_linear_history": { "enabled": found.linear_history },
        "allow_force_pushes": { "enabled": found.force_pushes },
        "allow_deletions": { "enabled": found.deletions },
        "block_creations": { "enabled": found.block_creations },
        "required_conversation_resolution": { "enabled": found.conversation_resolution },
        "lock_branch": { "enabled": found.lock_branch },
        "allow_fork_syncing": { "enabled": found.fork_syncing },
    });
    if let Some(required) = &found.checks {
        body["required_status_checks"] = checks(&url, required);
    }
    if let Some(required) = &found.reviews {
        body["required_pull_request_reviews"] = reviews(view, &url, required)?;
    }
    if let Some(users) = &found.push_users {
        body["restrictions"] = restrictions(view, &url, users)?;
    }
    Ok(body)
}

fn address(view: View<'_>, repository: &Repository, branch: &str) -> String {
    view.api(
        repository,
        &format!("/branches/{}/protection", encoded(branch)),
    )
}

fn admins(url: &str, found: &BranchProtection) -> Value {
    json!({ "url": format!("{url}/enforce_admins"), "enabled": found.enforce_admins })
}

fn checks(url: &str, required: &RequiredChecks) -> Value {
    let url = format!("{url}/required_status_checks");
    let contexts: Vec<&str> = required
        .checks
        .iter()
        .map(|check| check.context.as_str())
        .collect();
    let listed: Vec<Value> = required
        .checks
        .iter()
        .map(|check| json!({ "context": check.context, "app_id": check.app_id }))
        .collect();
    json!({
        "url": url,
        "strict": required.strict,
        "contexts": contexts,
        "contexts_url": format!("{url}/contexts"),
        "checks": listed,
    })
}

fn reviews(view: View<'_>, url: &str, required: &RequiredReviews) -> Result<Value, ApiError> {
    let url = format!("{url}/required_pull_request_reviews");
    let mut body = json!({
        "url": url,
        "dismiss_stale_reviews": required.dismiss_stale,
        "require_code_owner_reviews": required.code_owners,
        "require_last_push_approval": required.last_push_approval,
        "required_approving_review_count": required.approvals,
    });
    if let Some(ids) = &required.dismissal_users {
        let restrictions = format!(
            "{}/dismissal_restrictions",
            url.trim_end_matches("/required_pull_request_reviews")
        );
        body["dismissal_restrictions"] = json!({
            "url": restrictions,
            "users_url": format!("{restrictions}/users"),
            "teams_url": format!("{restrictions}/teams"),
            "users": accounts(view, ids)?,
            "teams": [],
            "apps": [],
        });
    }
    if !required.bypass_users.is_empty() {
        body["bypass_pull_request_allowances"] = json!({
            "users": accounts(view, &required.bypass_users)?,
            "teams": [],
            "apps": [],
        });
    }
    Ok(body)
}

fn restrictions(view: View<'_>, url: &str, ids: &[i64]) -> Result<Value, ApiError> {
    let url = format!("{url}/restrictions");
    Ok(json!({
        "url": url,
        "users_url": format!("{url}/users"),
        "teams_url": format!("{url}/teams"),
        "apps_url": format!("{url}/apps"),
        "users": accounts(view, ids)?,
        "teams": [],
        "apps": [],
    }))
}

fn accounts(view: View<'_>, ids: &[i64]) -> Result<Vec<Value>, ApiError> {
    ids.iter()
        .map(|id| {
            let user = user_rows::by_id(view.connection, *id)?;
            Ok(users::simple(view.urls, &user))
        })
        .collect()
}

/// The address of a branch's protection.
type BranchPath = Path<(String, String, String)>;

fn not_protected() -> ApiError {
    ApiError::refused(StatusCode::NOT_FOUND, "Branch not protected")
}

/// The repository, when the caller administers it and has that branch.
fn administered(
    connection: &Connection,
    caller: &Caller,
    path: &(String, String, String),
) -> Result<Repository, ApiError> {
    let (owner, name, branch) = path;
    let repository = caller.repository(connection, owner, name, Permission::Admin)?;
    let ref_name = format!("refs/heads/{branch}");
    if refs::find(connection, repository.id, &ref_name)?.is_none() {
        return Err(ApiError::refused(StatusCode::NOT_FOUND, "Branch not found"));
    }
    Ok(repository)
}

fn find(
    app: &App,
    caller: &Caller,
    path: &(String, String, String),
) -> Result<(Repository, BranchProtection), ApiError> {
    app.read(|connection| {
        let repository = administered(connection, caller, path)?;
        let found = rules::protection_of(connection, repository.id, &path.2)?;
        Ok((repository, found.ok_or_else(not_protected)?))
    })
}

/// Shows a part of the protection, or says that it is not there.
fn show_part(
    app: &App,
    caller: &Caller,
    path: &(String, String, String),
    part: impl FnOnce(View<'_>, &str, &BranchProtection) -> Result<Option<Value>, ApiError>,
) -> Result<Json<Value>, ApiError> {
    let (repository, found) = find(app, caller, path)?;
    app.show(|view| {
        let url = address(view, &repository, &path.2);
        part(view, &url, &found)?
            .map(Json)
            .ok_or(ApiError::NotFound)
    })
}

/// Changes the protection that there is.
async fn change(
    app: &App,
    caller: &Caller,
    path: &(String, String, String),
    edit: impl FnOnce(&mut BranchProtection),
) -> Result<(), ApiError> {
    let (repository, mut found) = find(app, caller, path)?;
    edit(&mut found);
    actions::put(app, caller, &repository, found).await?;
    Ok(())
}

#[derive(Deserialize)]
struct PutInput {
    required_status_checks: Option<ChecksInput>,
    enforce_admins: Option<bool>,
    required_pull_request_reviews: Option<ReviewsInput>,
    restrictions: Option<PeopleInput>,
    required_linear_history: Option<bool>,
    allow_force_pushes: Option<bool>,
    allow_deletions: Option<bool>,
    block_creations: Option<bool>,
    required_conversation_resolution: Option<bool>,
    lock_branch: Option<bool>,
    allow_fork_syncing: Option<bool>,
    required_signatures: Option<bool>,
}

#[derive(Deserialize, Default)]
struct ChecksInput {
    strict: Option<bool>,
    contexts: Option<Vec<String>>,
    checks: Option<Vec<CheckInput>>,
}

#[derive(Deserialize)]
struct CheckInput {
    context: String,
    app_id: Option<i64>,
}

#[derive(Deserialize, Default)]
struct ReviewsInput {
    dismissal_restrictions: Option<PeopleInput>,
    dismiss_stale_reviews: Option<bool>,
    require_code_owner_reviews: Option<bool>,
    required_approving_review_count: Option<u32>,
    require_last_push_approval: Option<bool>,
    bypass_pull_request_allowances: Option<PeopleInput>,
}

#[derive(Deserialize)]
struct PeopleInput {
    users: Option<Vec<String>>,
}

impl ChecksInput {
    /// `checks` says more than `contexts` and wins. An app of -1 is any.
    fn required(self) -> Option<Vec<RequiredCheck>> {
        if let Some(checks) = self.checks {
            let required = checks.into_iter().map(|check| RequiredCheck {
                context: check.context,
                app_id: check.app_id.filter(|id| *id >= 0),
            });
            return Some(required.collect());
        }
        let contexts = self.contexts?;
        let required = contexts.into_iter().map(|context| RequiredCheck {
            context,
            app_id: None,
        });
        Some(required.collect())
    }
}

impl ReviewsInput {
    fn apply(
        self,
        connection: &Connection,
        required: &mut RequiredReviews,
    ) -> Result<(), ApiError> {
        if let Some(count) = self.required_approving_review_count {
            if count > 6 {
                return Err(ApiError::Unprocessable(
                    "Invalid request.\n\nrequired_approving_review_count must be at most 6"
                        .to_owned(),
                ));
            }
            required.approvals = count;
        }
        if let Some(on) = self.dismiss_stale_reviews {
            required.dismiss_stale = on;
        }
        if let Some(on) = self.require_code_owner_reviews {
            required.code_owners = on;
        }
        if let Some(on) = self.require_last_push_approval {
            required.last_push_approval = on;
        }
        if let Some(people) = self.dismissal_restrictions {
            // An empty object lifts the restriction.
            required.dismissal_users = match people.users {
                Some(logins) => Some(ids(connection, &logins)?),
                None => None,
            };
        }
        if let Some(people) = self.bypass_pull_request_allowances {
            required.bypass_users = ids(connection, &people.users.unwrap_or_default())?;
        }
        Ok(())
    }
}

fn ids(connection: &Connection, logins: &[String]) -> Result<Vec<i64>, ApiError> {
    logins
        .iter()
        .map(|login| {
            let user = user_rows::by_login(connection, login)?;
            user.map(|user| user.id).ok_or_else(|| {
                ApiError::Unprocessable(format!("Validation Failed: no user {login}"))
            })
        })
        .collect()
}

impl PutInput {
    /// Everything that is not given is off.
    fn protection(
        self,
        connection: &Connection,
        repository_id: i64,
        branch: &str,
    ) -> Result<BranchProtection, ApiError> {
        let on = |switch: Option<bool>| switch.unwrap_or(false);
        let mut new = branch_protections::new(repository_id, branch);
        new.enforce_admins = on(self.enforce_admins);
        new.linear_history = on(self.required_linear_history);
        new.force_pushes = on(self.allow_force_pushes);
        new.deletions = on(self.allow_deletions);
        new.block_creations = on(self.block_creations);
        new.conversation_resolution = on(self.required_conversation_resolution);
        new.lock_branch = on(self.lock_branch);
        new.fork_syncing = on(self.allow_fork_syncing);
        new.signatures = on(self.required_signatures);
        if let Some(checks) = self.required_status_checks {
            new.checks = Some(RequiredChecks {
                strict: on(checks.strict),
                checks: checks.required().unwrap_or_default(),
            });
        }
        if let Some(input) = self.required_pull_request_reviews {
            let mut required = RequiredReviews {
                approvals: 1,
                ..RequiredReviews::default()
            };
            input.apply(connection, &mut required)?;
            new.reviews = Some(required);
        }
        if let Some(people) = self.restrictions {
            new.push_users = Some(ids(connection, &people.users.unwrap_or_default())?);
        }
        Ok(new)
    }
}

async fn read(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<Json<Value>, ApiError> {
    let (repository, found) = find(&app, &caller, &path)?;
    Ok(Json(app.show(|view| {
        protection(view, &repository, &path.2, &found)
    })?))
}

async fn put(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
    Input(input): Input<PutInput>,
) -> Result<Json<Value>, ApiError> {
    let (repository, new) = app.read(|connection| {
        let repository = administered(connection, &caller, &path)?;
        let new = input.protection(connection, repository.id, &path.2)?;
        Ok((repository, new))
    })?;
    let new = actions::put(&app, &caller, &repository, new).await?;
    Ok(Json(app.show(|view| {
        protection(view, &repository, &path.2, &new)
    })?))
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<StatusCode, ApiError> {
    let (repository, found) = find(&app, &caller, &path)?;
    actions::delete(&app, &caller, &repository, found).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn read_checks(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<Json<Value>, ApiError> {
    show_part(&app, &caller, &path, |_, url, found| {
        Ok(found.checks.as_ref().map(|required| checks(url, required)))
    })
}

async fn read_contexts(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<Json<Value>, ApiError> {
    show_part(&app, &caller, &path, |_, url, found| {
        let shown = found.checks.as_ref().map(|required| checks(url, required));
        Ok(shown.map(|shown| shown["contexts"].clone()))
    })
}

async fn patch_checks(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
    Input(input): Input<ChecksInput>,
) -> Result<Json<Value>, ApiError> {
    change(&app, &caller, &path, |found| {
        let required = found.checks.get_or_insert_default();
        if let Some(strict) = input.strict {
            required.strict = strict;
        }
        if let Some(checks) = input.required() {
            required.checks = checks;
        }
    })
    .await?;
    read_checks(State(app), caller, Path(path)).await
}

async fn remove_checks(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<StatusCode, ApiError> {
    change(&app, &caller, &path, |found| found.checks = None).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn read_reviews(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<Json<Value>, ApiError> {
    show_part(&app, &caller, &path, |view, url, found| {
        let required = found.reviews.as_ref();
        required
            .map(|required| reviews(view, url, required))
            .transpose()
    })
}

async fn patch_reviews(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
    Input(input): Input<ReviewsInput>,
) -> Result<Json<Value>, ApiError> {
    let (_, found) = find(&app, &caller, &path)?;
    let mut required = found.reviews.unwrap_or(RequiredReviews {
        approvals: 1,
        ..RequiredReviews::default()
    });
    app.read(|connection| input.apply(connection, &mut required))?;
    change(&app, &caller, &path, |found| found.reviews = Some(required)).await?;
    read_reviews(State(app), caller, Path(path)).await
}

async fn remove_reviews(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<StatusCode, ApiError> {
    change(&app, &caller, &path, |found| found.reviews = None).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn read_admins(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<Json<Value>, ApiError> {
    show_part(&app, &caller, &path, |_, url, found| {
        Ok(Some(admins(url, found)))
    })
}

async fn enforce_admins(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<Json<Value>, ApiError> {
    change(&app, &caller, &path, |found| found.enforce_admins = true).await?;
    read_admins(State(app), caller, Path(path)).await
}

async fn exempt_admins(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<StatusCode, ApiError> {
    change(&app, &caller, &path, |found| found.enforce_admins = false).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn read_restrictions(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<Json<Value>, ApiError> {
    show_part(&app, &caller, &path, |view, url, found| {
        let users = found.push_users.as_ref();
        users
            .map(|users| restrictions(view, url, users))
            .transpose()
    })
}

async fn remove_restrictions(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<StatusCode, ApiError> {
    change(&app, &caller, &path, |found| found.push_users = None).await?;
    Ok(StatusCode::NO_CONTENT)
}
