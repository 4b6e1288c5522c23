//! Rulesets.

use super::prelude::*;
use crate::actions::protection::{self as actions, RulesetDraft};
use crate::actions::rules;
use crate::store::rulesets::{self, Enforcement, Ruleset, RulesetTarget};
use crate::views::rules::ruleset;

pub(super) fn routes() -> Router<App> {
    const ALL: &str = "/repos/{owner}/{repo}/rulesets";
    Router::new()
        .route(
            "/repos/{owner}/{repo}/rules/branches/{*branch}",
            get(for_branch),
        )
        .route(ALL, get(list).post(create))
        .route(
            &format!("{ALL}/{{ruleset}}"),
            get(one).put(update).delete(remove),
        )
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

fn find(call: &Call, repository: &Repository) -> Result<Ruleset> {
    let id = call.number("ruleset")?;
    let found = call.rows(|conn| rulesets::by_id(conn, id))?;
    found
        .filter(|found| found.repository_id == repository.id)
        .ok_or(ApiError::NotFound)
}

async fn list(call: Call) -> Answer {
    let repository = call.repository(Permission::Read)?;
    let mut all = call.rows(|conn| rulesets::for_repository(conn, repository.id))?;
    if let Some(targets) = call.get("targets") {
        let wanted = |found: &Ruleset| targets.split(',').any(|one| one == found.target.as_str());
        all.retain(wanted);
    }
    call.list(all, |view, found| {
        Ok(ruleset(view, &repository, found, false))
    })
}

/// All rules that hold for a branch, which need not exist.
async fn for_branch(call: Call) -> Answer {
    let repository = call.repository(Permission::Read)?;
    let name = format!("refs/heads/{}", call.path("branch"));
    let found = call.read(|conn| {
        let mut found = Vec::new();
        for ruleset in rules::rulesets_of(conn, &repository, &name)? {
            for rule in ruleset.rules.as_array().into_iter().flatten() {
                let mut rule = rule.clone();
                rule["ruleset_source_type"] = json!("Repository");
                rule["ruleset_source"] = json!(repository.full_name());
                rule["ruleset_id"] = json!(ruleset.id);
                found.push(rule);
            }
        }
        Ok(found)
    })?;
    call.list(found, |_, rule| Ok(rule.clone()))
}

async fn create(call: Call) -> Answer {
    let (draft, repository) = (draft(&call)?, call.repository(Permission::Read)?);
    let made = actions::create_ruleset(call.on(&repository), draft).await?;
    call.show_new(|view| Ok(ruleset(view, &repository, &made, true)))
}

async fn one(call: Call) -> Answer {
    let repository = call.repository(Permission::Read)?;
    let found = find(&call, &repository)?;
    call.show(|view| Ok(ruleset(view, &repository, &found, true)))
}

async fn update(call: Call) -> Answer {
    let (draft, repository) = (draft(&call)?, call.repository(Permission::Read)?);
    let found = find(&call, &repository)?;
    let found = actions::update_ruleset(call.on(&repository), found, draft).await?;
    call.show(|view| Ok(ruleset(view, &repository, &found, true)))
}

async fn remove(call: Call) -> Answer {
    let repository = call.repository(Permission::Read)?;
    let found = find(&call, &repository)?;
    actions::delete_ruleset(call.on(&repository), found).await?;
    no_content()
}
