//! Changing the rules of branches.

use serde_json::{Value, json};

use crate::actions::rules::{BadRule, Rule};
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, Result};
use crate::store::branch_protections::{self, BranchProtection};
use crate::store::repositories::{Permission, Repository};
use crate::store::rulesets::{self, Enforcement, Ruleset, RulesetTarget};
use crate::store::users::User;

/// Takes the place of the protection with the same pattern.
pub(crate) async fn put(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    mut protection: BranchProtection,
) -> Result<BranchProtection> {
    let user = administrator(app, caller, repository)?;
    let known = app.read(|conn| {
        let pattern = &protection.pattern;
        Ok(branch_protections::by_pattern(
            conn,
            repository.id,
            pattern,
        )?)
    })?;
    let action = if known.is_some() { "edited" } else { "created" };
    app.change(repository, &user, move |change| {
        protection.id = branch_protections::put(change.tx, &protection)?;
        change.event("branch_protection_rule", action, protection.id, None)?;
        Ok(protection)
    })
    .await
}

pub(crate) async fn delete(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    protection: BranchProtection,
) -> Result<()> {
    let user = administrator(app, caller, repository)?;
    app.change(repository, &user, move |change| {
        branch_protections::delete(change.tx, protection.id)?;
        let data = json!({ "name": protection.pattern });
        change.event(
            "branch_protection_rule",
            "deleted",
            protection.id,
            Some(data),
        )
    })
    .await
}

/// A ruleset as it is asked for. What is absent stays, or takes its default.
#[derive(Debug, Clone, Default)]
pub(crate) struct RulesetDraft {
    pub(crate) name: Option<String>,
    pub(crate) target: Option<RulesetTarget>,
    pub(crate) enforcement: Option<Enforcement>,
    pub(crate) bypass_actors: Option<Value>,
    pub(crate) conditions: Option<Value>,
    pub(crate) rules: Option<Value>,
}

pub(crate) async fn create_ruleset(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    draft: RulesetDraft,
) -> Result<Ruleset> {
    administrator(app, caller, repository)?;
    let missing = |field| ApiError::invalid("Ruleset", field, "missing_field", None);
    let at = app.now();
    let mut ruleset = Ruleset {
        id: 0,
        repository_id: repository.id,
        name: String::new(),
        target: RulesetTarget::Branch,
        enforcement: draft.enforcement.ok_or_else(|| missing("enforcement"))?,
        bypass_actors: json!([]),
        conditions: json!({ "ref_name": { "include": [], "exclude": [] } }),
        rules: json!([]),
        created_at: at.clone(),
        updated_at: at,
    };
    if draft.name.is_none() {
        return Err(missing("name"));
    }
    apply(&mut ruleset, draft)?;
    check_name(app, &ruleset)?;
    write_ruleset(app, caller, repository, ruleset, "created").await
}

pub(crate) async fn update_ruleset(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    mut ruleset: Ruleset,
    draft: RulesetDraft,
) -> Result<Ruleset> {
    administrator(app, caller, repository)?;
    apply(&mut ruleset, draft)?;
    check_name(app, &ruleset)?;
    ruleset.updated_at = app.now();
    write_ruleset(app, caller, repository, ruleset, "edited").await
}

pub(crate) async fn delete_ruleset(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    ruleset: Ruleset,
) -> Result<()> {
    administrator(app, caller, repository)?;
    write_ruleset(app, caller, repository, ruleset, "deleted")
        .await
        .map(drop)
}

async fn write_ruleset(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    mut ruleset: Ruleset,
    action: &'static str,
) -> Result<Ruleset> {
    app.change(repository, caller.user()?, move |change| {
        let tx = change.tx;
        match action {
            "created" => ruleset.id = rulesets::create(tx, &ruleset)?,
            "deleted" => rulesets::delete(tx, ruleset.id)?,
            _ => rulesets::update(tx, &ruleset)?,
        }
        change.event("repository_ruleset", action, ruleset.id, None)?;
        Ok(ruleset)
    })
    .await
}

fn apply(ruleset: &mut Ruleset, draft: RulesetDraft) -> Result<()> {
    if let Some(name) = draft.name {
        if name.trim().is_empty() {
            return Err(ApiError::invalid("Ruleset", "name", "missing_field", None));
        }
        ruleset.name = name;
    }
    if let Some(target) = draft.target {
        ruleset.target = target;
    }
    if let Some(enforcement) = draft.enforcement {
        ruleset.enforcement = enforcement;
    }
    if let Some(actors) = draft.bypass_actors {
        check_list("bypass_actors", &actors)?;
        ruleset.bypass_actors = actors;
    }
    if let Some(conditions) = draft.conditions {
        if !conditions.is_object() {
            return Err(ApiError::invalid("Ruleset", "conditions", "invalid", None));
        }
        ruleset.conditions = conditions;
    }
    if let Some(rules) = draft.rules {
        check_list("rules", &rules)?;
        for rule in rules.as_array().into_iter().flatten() {
            Rule::parse(rule).map_err(|BadRule(message)| {
                ApiError::invalid("Ruleset", "rules", "invalid", Some(message))
            })?;
        }
        ruleset.rules = rules;
    }
    Ok(())
}

fn check_list(field: &'static str, value: &Value) -> Result<()> {
    if value.is_array() {
        Ok(())
    } else {
        Err(ApiError::invalid("Ruleset", field, "invalid", None))
    }
}

fn check_name(app: &App, ruleset: &Ruleset) -> Result<()> {
    let others = app.rows(|conn| rulesets::for_repository(conn, ruleset.repository_id))?;
    let taken = others
        .iter()
        .any(|other| other.id != ruleset.id && other.name == ruleset.name);
    if taken {
        return Err(ApiError::invalid(
            "Ruleset",
            "name",
            "custom",
            Some("Name must be unique".to_owned()),
        ));
    }
    Ok(())
}

fn administrator(app: &App, caller: &Caller, repository: &Repository) -> Result<User> {
    app.read(|conn| caller.check(conn, repository, Permission::Admin))?;
    Ok(caller.user()?.clone())
}
