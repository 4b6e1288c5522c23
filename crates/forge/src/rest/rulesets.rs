use axum::Router;
use axum::routing::get;
use serde_json::json;

use super::call::{Answer, Call, no_content};
use crate::actions::protection::{self as actions, RulesetDraft, RulesetScope};
use crate::actions::rules;
use crate::app::App;
use crate::error::{ApiError, Result};
use crate::store::repositories::Permission;
use crate::store::rulesets::{self, Enforcement, Ruleset, RulesetOwner, RulesetTarget};
use crate::store::users;
use crate::views::rules::ruleset;

pub(super) fn routes() -> Router<App> {
    const OF_REPOSITORY: &str = "/repos/{owner}/{repo}/rulesets";
    const OF_ORGANIZATION: &str = "/orgs/{org}/rulesets";
    let router = Router::new().route(
        "/repos/{owner}/{repo}/rules/branches/{*branch}",
        get(for_branch),
    );
    [OF_REPOSITORY, OF_ORGANIZATION]
        .iter()
        .fold(router, |router, all| {
            router.route(all, get(list).post(create)).route(
                &format!("{all}/{{ruleset}}"),
                get(one).put(update).delete(remove),
            )
        })
}

/// The repository or the organisation of the address. Only members see what an organisation rules.
fn scope(call: &Call) -> Result<RulesetScope> {
    if !call.path("repo").is_empty() {
        let repository = call.repository(Permission::Read)?;
        return Ok(RulesetScope::Repository(Box::new(repository)));
    }
    let user = call.caller.user()?;
    call.app.read(|connection| {
        let organization = users::by_login(connection, call.path("org"))?;
        let organization = organization.ok_or(ApiError::NotFound)?;
        if !user.site_admin && !users::is_member(connection, organization.id, user.id)? {
            return Err(ApiError::NotFound);
        }
        Ok(RulesetScope::Organization(organization))
    })
}

fn draft(call: &Call) -> Result<RulesetDraft> {
    let mut input = call.payload()?;
    let invalid = |field| ApiError::invalid("Ruleset", field, "invalid", None);
    let (target, enforcement) = (input.text("target"), input.text("enforcement"));
    let target = target.map(|text| RulesetTarget::parse(&text).ok_or_else(|| invalid("target")));
    let enforcement =
        enforcement.map(|text| Enforcement::parse(&text).ok_or_else(|| invalid("enforcement")));
    let draft = RulesetDraft {
        name: input.text("name"),
        target: target.transpose()?,
        enforcement: enforcement.transpose()?,
        bypass_actors: input.value("bypass_actors"),
        conditions: input.value("conditions"),
        rules: input.value("rules"),
    };
    input.finish()?;
    Ok(draft)
}

fn find(call: &Call, owner: RulesetOwner) -> Result<Ruleset> {
    let id = call.number("ruleset")?;
    let found = call
        .app
        .rows(|connection| rulesets::by_id(connection, id))?;
    found
        .filter(|found| found.owner == owner)
        .ok_or(ApiError::NotFound)
}

async fn list(call: Call) -> Answer {
    let scope = scope(&call)?;
    let mut all = call.app.read(|connection| match &scope {
        RulesetScope::Repository(repository) if call.get("includes_parents") == Some("false") => {
            Ok(rulesets::for_repository(connection, repository.id)?)
        }
        RulesetScope::Repository(repository) => rules::all_rulesets(connection, repository),
        RulesetScope::Organization(owner) => Ok(rulesets::for_organization(connection, owner.id)?),
    })?;
    if let Some(targets) = call.get("targets") {
        let wanted = |found: &Ruleset| targets.split(',').any(|one| one == found.target.as_str());
        all.retain(wanted);
    }
    call.list(all, |view, found| ruleset(view, found, false))
}

/// All rules that hold for a branch, which need not exist.
async fn for_branch(call: Call) -> Answer {
    let repository = call.repository(Permission::Read)?;
    let name = format!("refs/heads/{}", call.path("branch"));
    let found = call.app.read(|connection| {
        let mut found = Vec::new();
        for ruleset in rules::rulesets_of(connection, &repository, &name)? {
            let source = rules::source_name(connection, &ruleset)?;
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
        Ok(found)
    })?;
    call.list(found, |_, rule| Ok(rule.clone()))
}

async fn create(call: Call) -> Answer {
    let (draft, scope) = (draft(&call)?, scope(&call)?);
    let made = actions::create_ruleset(&call.app, &call.caller, &scope, draft).await?;
    call.show_new(|view| ruleset(view, &made, true))
}

/// A repository shows those of its owner, too.
async fn one(call: Call) -> Answer {
    let found = match scope(&call)? {
        RulesetScope::Repository(repository) => {
            let id = call.number("ruleset")?;
            let all = call
                .app
                .read(|connection| rules::all_rulesets(connection, &repository))?;
            let found = all.into_iter().find(|found| found.id == id);
            found.ok_or(ApiError::NotFound)?
        }
        scope @ RulesetScope::Organization(_) => find(&call, scope.owner())?,
    };
    call.show(|view| ruleset(view, &found, true))
}

async fn update(call: Call) -> Answer {
    let (draft, scope) = (draft(&call)?, scope(&call)?);
    let found = find(&call, scope.owner())?;
    let found = actions::update_ruleset(&call.app, &call.caller, &scope, found, draft).await?;
    call.show(|view| ruleset(view, &found, true))
}

async fn remove(call: Call) -> Answer {
    let scope = scope(&call)?;
    let found = find(&call, scope.owner())?;
    actions::delete_ruleset(&call.app, &call.caller, &scope, found).await?;
    no_content()
}
