//! Changing the rules of branches.

use serde_json::{Value, json};

use crate::actions::rules::{BadRule, Rule};
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, Result};
use crate::store::branch_protections::{self, BranchProtection};
use crate::store::repositories::{Permission, Repository};
use crate::store::rulesets::{self, Enforcement, Ruleset, RulesetOwner, RulesetTarget};
use crate::store::users::{self, User, UserKind};

/// Takes the place of the protection with the same pattern.
pub(crate) async fn put(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    mut protection: BranchProtection,
) -> Result<BranchProtection> {
    let user = administrator(app, caller, repository)?;
    let known = app.read(|connection| {
        let pattern = &protection.pattern;
        Ok(branch_protections::by_pattern(
            connection,
            repository.id,
            pattern,
        )?)
    })?;
    let action = if known.is_some() { "edited" } else { "created" };
    app.change(repository, &user, move |change| {
        protection.id = branch_protections::put(change.transaction, &protection)?;
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
        branch_protections::delete(change.transaction, protection.id)?;
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

/// Whose rulesets they are.
#[derive(Debug, Clone)]
pub(crate) enum RulesetScope {
    Repository(Box<Repository>),
    Organization(User),
}

impl RulesetScope {
    pub(crate) fn owner(&self) -> RulesetOwner {
        match self {
            Self::Repository(repository) => RulesetOwner::Repository(repository.id),
            Self::Organization(organization) => RulesetOwner::Organization(organization.id),
        }
    }
}

pub(crate) async fn create_ruleset(
    app: &App,
    caller: &Caller,
    scope: &RulesetScope,
    draft: RulesetDraft,
) -> Result<Ruleset> {
    check_scope(app, caller, scope)?;
    let missing = |field| ApiError::invalid("Ruleset", field, "missing_field", None);
    let at = app.now();
    let mut ruleset = Ruleset {
        id: 0,
        owner: scope.owner(),
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
    write_ruleset(app, caller, scope, ruleset, "created").await
}

pub(crate) async fn update_ruleset(
    app: &App,
    caller: &Caller,
    scope: &RulesetScope,
    mut ruleset: Ruleset,
    draft: RulesetDraft,
) -> Result<Ruleset> {
    check_scope(app, caller, scope)?;
    apply(&mut ruleset, draft)?;
    check_name(app, &ruleset)?;
    ruleset.updated_at = app.now();
    write_ruleset(app, caller, scope, ruleset, "edited").await
}

pub(crate) async fn delete_ruleset(
    app: &App,
    caller: &Caller,
    scope: &RulesetScope,
    ruleset: Ruleset,
) -> Result<()> {
    check_scope(app, caller, scope)?;
    write_ruleset(app, caller, scope, ruleset, "deleted")
        .await
        .map(drop)
}

/// An organisation's rulesets belong to no repository, and so do not become
/// events, which do.
async fn write_ruleset(
    app: &App,
    caller: &Caller,
    scope: &RulesetScope,
    mut ruleset: Ruleset,
    action: &'static str,
) -> Result<Ruleset> {
    let user = caller.user()?.clone();
    let store = move |transaction: &rusqlite::Transaction<'_>, ruleset: &mut Ruleset| {
        match action {
            "created" => ruleset.id = rulesets::create(transaction, ruleset)?,
            "deleted" => rulesets::delete(transaction, ruleset.id)?,
            _ => rulesets::update(transaction, ruleset)?,
        }
        Ok::<_, ApiError>(())
    };
    match scope {
        RulesetScope::Repository(repository) => {
            app.change(repository, &user, move |change| {
                store(change.transaction, &mut ruleset)?;
                change.event("repository_ruleset", action, ruleset.id, None)?;
                Ok(ruleset)
            })
            .await
        }
        RulesetScope::Organization(_) => {
            app.write(move |transaction| {
                store(transaction, &mut ruleset)?;
                Ok(ruleset)
            })
            .await
        }
    }
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
    let others = app.read(|connection| {
        Ok(match ruleset.owner {
            RulesetOwner::Repository(id) => rulesets::for_repository(connection, id)?,
            RulesetOwner::Organization(id) => rulesets::for_organization(connection, id)?,
        })
    })?;
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

fn check_scope(app: &App, caller: &Caller, scope: &RulesetScope) -> Result<()> {
    match scope {
        RulesetScope::Repository(repository) => {
            administrator(app, caller, repository)?;
        }
        RulesetScope::Organization(organization) => {
            let user = caller.user()?;
            let is_admin = app.read(|connection| {
                let id = organization.id;
                Ok(users::is_organization_admin(connection, id, user.id)?)
            })?;
            let is_organization = organization.kind == UserKind::Organization;
            if !is_organization || !(is_admin || user.site_admin) {
                return Err(ApiError::NotFound);
            }
        }
    }
    Ok(())
}

fn administrator(app: &App, caller: &Caller, repository: &Repository) -> Result<User> {
    app.read(|connection| caller.check(connection, repository, Permission::Admin))?;
    Ok(caller.user()?.clone())
}
