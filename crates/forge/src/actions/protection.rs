//! Changing the rules of branches.

use crate::actions::prelude::*;
use crate::actions::rules::{BadRule, Rule};
use crate::store::branch_protections::{self, BranchProtection};
use crate::store::rulesets::{self, Enforcement, Ruleset, RulesetTarget};

/// Takes the place of the protection with the same pattern.
pub(crate) async fn put(
    cx: RepoContext<'_>,
    mut protection: BranchProtection,
) -> Result<BranchProtection> {
    cx.allowed(Permission::Admin)?;
    cx.change(move |change| {
        let (tx, id) = (change.tx, change.repository_id);
        let known = branch_protections::by_pattern(tx, id, &protection.pattern)?;
        let action = if known.is_some() { "edited" } else { "created" };
        protection.id = branch_protections::put(tx, &protection)?;
        change.event("branch_protection_rule", action, protection.id, None)?;
        Ok(protection)
    })
    .await
}

pub(crate) async fn delete(cx: RepoContext<'_>, protection: BranchProtection) -> Result<()> {
    cx.allowed(Permission::Admin)?;
    cx.change(move |change| {
        branch_protections::delete(change.tx, protection.id)?;
        let data = Some(json!({ "name": protection.pattern }));
        change.event("branch_protection_rule", "deleted", protection.id, data)
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

pub(crate) async fn create_ruleset(cx: RepoContext<'_>, draft: RulesetDraft) -> Result<Ruleset> {
    cx.allowed(Permission::Admin)?;
    let missing = |field| ApiError::invalid("Ruleset", field, "missing_field", None);
    let at = cx.app.now();
    let mut ruleset = Ruleset {
        id: 0,
        repository_id: cx.repository.id,
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
    check_name(cx.app, &ruleset)?;
    write_ruleset(cx, ruleset, "created").await
}

pub(crate) async fn update_ruleset(
    cx: RepoContext<'_>,
    mut ruleset: Ruleset,
    draft: RulesetDraft,
) -> Result<Ruleset> {
    cx.allowed(Permission::Admin)?;
    apply(&mut ruleset, draft)?;
    check_name(cx.app, &ruleset)?;
    ruleset.updated_at = cx.app.now();
    write_ruleset(cx, ruleset, "edited").await
}

pub(crate) async fn delete_ruleset(cx: RepoContext<'_>, ruleset: Ruleset) -> Result<()> {
    cx.allowed(Permission::Admin)?;
    write_ruleset(cx, ruleset, "deleted").await.map(drop)
}

async fn write_ruleset(
    cx: RepoContext<'_>,
    mut ruleset: Ruleset,
    action: &'static str,
) -> Result<Ruleset> {
    cx.change(move |change| {
        match action {
            "created" => ruleset.id = rulesets::create(change.tx, &ruleset)?,
            "deleted" => rulesets::delete(change.tx, ruleset.id)?,
            _ => rulesets::update(change.tx, &ruleset)?,
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
