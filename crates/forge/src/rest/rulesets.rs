use std::collections::HashMap;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::actions::protection::{self as actions, RulesetDraft, RulesetScope};
use crate::actions::rules;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::Paging;
use crate::rest::input::Input;
use crate::rest::view::View;
use crate::store::repositories::{Permission, Repository};
use crate::store::rulesets::{self, Enforcement, Ruleset, RulesetOwner, RulesetTarget};
use crate::store::users;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route(
            "/repos/{owner}/{repo}/rulesets",
            get(of_repository).post(create_in_repository),
        )
        .route(
            "/repos/{owner}/{repo}/rulesets/{ruleset}",
            get(one_of_repository)
                .put(update_in_repository)
                .delete(remove_from_repository),
        )
        .route(
            "/repos/{owner}/{repo}/rules/branches/{*branch}",
            get(of_branch),
        )
        .route(
            "/orgs/{org}/rulesets",
            get(of_organization).post(create_in_organization),
        )
        .route(
            "/orgs/{org}/rulesets/{ruleset}",
            get(one_of_organization)
                .put(update_in_organization)
                .delete(remove_from_organization),
        )
}

/// `repository-ruleset` in GitHub's description. A list leaves the rules out.
pub(crate) fn ruleset(
    view: View<'_>,
    found: &Ruleset,
    with_rules: bool,
) -> Result<Value, ApiError> {
    let source = rules::source_name(view.connection, found)?;
    let (source_type, api, page) = match found.owner {
        RulesetOwner::Repository(_) => (
            "Repository",
            view.urls
                .api(&format!("/repos/{source}/rulesets/{}", found.id)),
            view.urls.page(&format!("/{source}/rules/{}", found.id)),
        ),
        RulesetOwner::Organization(_) => (
            "Organization",
            view.urls
                .api(&format!("/orgs/{source}/rulesets/{}", found.id)),
            view.urls.page(&format!(
                "/organizations/{source}/settings/rules/{}",
                found.id
            )),
        ),
    };
    let mut body = json!({
        "id": found.id,
        "name": found.name,
        "target": found.target.as_str(),
        "source_type": source_type,
        "source": source,
        "enforcement": found.enforcement.as_str(),
        "node_id": node_id(Kind::Ruleset, found.id),
        "_links": { "self": { "href": api }, "html": { "href": page } },
        "created_at": found.created_at,
        "updated_at": found.updated_at,
    });
    if with_rules {
        body["bypass_actors"] = found.bypass_actors.clone();
        body["conditions"] = found.conditions.clone();
        body["rules"] = found.rules.clone();
    }
    Ok(body)
}

#[derive(Deserialize)]
struct RulesetInput {
    name: Option<String>,
    target: Option<String>,
    enforcement: Option<String>,
    bypass_actors: Option<Value>,
    conditions: Option<Value>,
    rules: Option<Value>,
}

impl RulesetInput {
    fn draft(self) -> Result<RulesetDraft, ApiError> {
        let invalid = |field| ApiError::invalid("Ruleset", field, "invalid", None);
        let target = match self.target {
            None => None,
            Some(text) => Some(RulesetTarget::parse(&text).ok_or_else(|| invalid("target"))?),
        };
        let enforcement = match self.enforcement {
            None => None,
            Some(text) => Some(Enforcement::parse(&text).ok_or_else(|| invalid("enforcement"))?),
        };
        Ok(RulesetDraft {
            name: self.name,
            target,
            enforcement,
            bypass_actors: self.bypass_actors,
            conditions: self.conditions,
            rules: self.rules,
        })
    }
}

fn repository_scope(
    app: &App,
    caller: &Caller,
    owner: &str,
    name: &str,
) -> Result<Repository, ApiError> {
    app.read(|connection| caller.repository(connection, owner, name, Permission::Read))
}

/// Only members see what an organisation rules.
fn organization_scope(app: &App, caller: &Caller, login: &str) -> Result<RulesetScope, ApiError> {
    let user = caller.user()?;
    app.read(|connection| {
        let organization = users::by_login(connection, login)?.ok_or(ApiError::NotFound)?;
        if users::is_member(connection, organization.id, user.id)? || user.site_admin {
            Ok(RulesetScope::Organization(organization))
        } else {
            Err(ApiError::NotFound)
        }
    })
}

fn find(app: &App, owner: RulesetOwner, id: i64) -> Result<Ruleset, ApiError> {
    let found = app.read(|connection| Ok(rulesets::by_id(connection, id)?))?;
    found
        .filter(|found| found.owner == owner)
        .ok_or(ApiError::NotFound)
}

fn show(app: &App, found: &Ruleset) -> Result<Json<Value>, ApiError> {
    Ok(Json(app.show(|view| ruleset(view, found, true))?))
}

async fn of_repository(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name)): Path<(String, String)>,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    let repository = repository_scope(&app, &caller, &owner, &name)?;
    let parents = query
        .get("includes_parents")
        .is_none_or(|value| value != "false");
    let targets = query.get("targets");
    app.show(|view| {
        let mut all = if parents {
            rules::all_rulesets(view.connection, &repository)?
        } else {
            rulesets::of_repository(view.connection, repository.id)?
        };
        if let Some(targets) = targets {
            all.retain(|found| {
                targets
                    .split(',')
                    .any(|target| target == found.target.as_str())
            });
        }
        list(view, &paging, all)
    })
}

async fn of_organization(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path(org): Path<String>,
) -> Result<Response, ApiError> {
    let scope = organization_scope(&app, &caller, &org)?;
    app.show(|view| {
        let all = match scope.owner() {
            RulesetOwner::Organization(id) => rulesets::of_organization(view.connection, id)?,
            RulesetOwner::Repository(_) => Vec::new(),
        };
        list(view, &paging, all)
    })
}

fn list(view: View<'_>, paging: &Paging, all: Vec<Ruleset>) -> Result<Response, ApiError> {
    let total = all.len();
    let items: Result<Vec<_>, _> = paging
        .of(all)
        .iter()
        .map(|found| ruleset(view, found, false))
        .collect();
    Ok(paging.answer(items?, total))
}

/// All rules that hold for a branch, which need not exist.
async fn of_branch(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name, branch)): Path<(String, String, String)>,
) -> Result<Response, ApiError> {
    let repository = repository_scope(&app, &caller, &owner, &name)?;
    app.show(|view| {
        let mut found = Vec::new();
        let ref_name = format!("refs/heads/{branch}");
        for ruleset in rules::rulesets_of(view.connection, &repository, &ref_name)? {
            let source = rules::source_name(view.connection, &ruleset)?;
            let source_type = match ruleset.owner {
                RulesetOwner::Repository(_) => "Repository",
                RulesetOwner::Organization(_) => "Organization",
            };
            for rule in ruleset.rules.as_array().into_iter().flatten() {
                let mut rule = rule.clone();
                rule["ruleset_source_type"] = json!(source_type);
                rule["ruleset_source"] = json!(source);
                rule["ruleset_id"] = json!(ruleset.id);
                found.push(rule);
            }
        }
        Ok(paging.answer_all(found, |rule| rule))
    })
}

async fn create_in_repository(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
    Input(input): Input<RulesetInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = repository_scope(&app, &caller, &owner, &name)?;
    let scope = RulesetScope::Repository(repository);
    let made = actions::create_ruleset(&app, &caller, &scope, input.draft()?).await?;
    Ok((StatusCode::CREATED, show(&app, &made)?))
}

async fn create_in_organization(
    State(app): State<App>,
    caller: Caller,
    Path(org): Path<String>,
    Input(input): Input<RulesetInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let scope = organization_scope(&app, &caller, &org)?;
    let made = actions::create_ruleset(&app, &caller, &scope, input.draft()?).await?;
    Ok((StatusCode::CREATED, show(&app, &made)?))
}

async fn one_of_repository(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, id)): Path<(String, String, i64)>,
) -> Result<Json<Value>, ApiError> {
    let repository = repository_scope(&app, &caller, &owner, &name)?;
    let all = app.read(|connection| rules::all_rulesets(connection, &repository))?;
    let found = all.into_iter().find(|found| found.id == id);
    show(&app, &found.ok_or(ApiError::NotFound)?)
}

async fn one_of_organization(
    State(app): State<App>,
    caller: Caller,
    Path((org, id)): Path<(String, i64)>,
) -> Result<Json<Value>, ApiError> {
    let scope = organization_scope(&app, &caller, &org)?;
    show(&app, &find(&app, scope.owner(), id)?)
}

async fn update_in_repository(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, id)): Path<(String, String, i64)>,
    Input(input): Input<RulesetInput>,
) -> Result<Json<Value>, ApiError> {
    let repository = repository_scope(&app, &caller, &owner, &name)?;
    update(
        &app,
        &caller,
        RulesetScope::Repository(repository),
        id,
        input,
    )
    .await
}

async fn update_in_organization(
    State(app): State<App>,
    caller: Caller,
    Path((org, id)): Path<(String, i64)>,
    Input(input): Input<RulesetInput>,
) -> Result<Json<Value>, ApiError> {
    let scope = organization_scope(&app, &caller, &org)?;
    update(&app, &caller, scope, id, input).await
}

async fn update(
    app: &App,
    caller: &Caller,
    scope: RulesetScope,
    id: i64,
    input: RulesetInput,
) -> Result<Json<Value>, ApiError> {
    let found = find(app, scope.owner(), id)?;
    let found = actions::update_ruleset(app, caller, &scope, found, input.draft()?).await?;
    show(app, &found)
}

async fn remove_from_repository(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, id)): Path<(String, String, i64)>,
) -> Result<StatusCode, ApiError> {
    let repository = repository_scope(&app, &caller, &owner, &name)?;
    remove(&app, &caller, RulesetScope::Repository(repository), id).await
}

async fn remove_from_organization(
    State(app): State<App>,
    caller: Caller,
    Path((org, id)): Path<(String, i64)>,
) -> Result<StatusCode, ApiError> {
    let scope = organization_scope(&app, &caller, &org)?;
    remove(&app, &caller, scope, id).await
}

async fn remove(
    app: &App,
    caller: &Caller,
    scope: RulesetScope,
    id: i64,
) -> Result<StatusCode, ApiError> {
    let found = find(app, scope.owner(), id)?;
    actions::delete_ruleset(app, caller, &scope, found).await?;
    Ok(StatusCode::NO_CONTENT)
}
