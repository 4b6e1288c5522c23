//! What a branch or tag asks for: branch protection and rulesets, taken
//! together.

pub(crate) mod merges;
pub(crate) mod pushes;
mod rule;

use baton_protocol::Glob;

use crate::actions::prelude::*;
use crate::store::branch_protections::{self, BranchProtection};
use crate::store::rulesets::{self, Enforcement, Ruleset, RulesetTarget};
use crate::store::{repositories, users};

pub(crate) use rule::{BadRule, ChecksRule, MergeQueueRule, PullRequestRule, Rule, TextSubject};

/// A rule that holds for a ref, and where it comes from.
#[derive(Debug, Clone)]
pub(crate) struct AppliedRule {
    pub(crate) rule: Rule,
    pub(crate) source: Source,
}

#[derive(Debug, Clone)]
pub(crate) enum Source {
    Protection { enforce_admins: bool },
    Ruleset { bypass_actors: Value },
}

impl Source {
    pub(crate) fn is_ruleset(&self) -> bool {
        matches!(self, Self::Ruleset { .. })
    }
}

/// Something that must not happen, in GitHub's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) message: String,
    pub(crate) by_ruleset: bool,
}

/// All rules for a ref (`refs/heads/main`).
pub(crate) fn for_ref(
    conn: &Connection,
    repository: &Repository,
    ref_name: &str,
) -> Result<Vec<AppliedRule>> {
    let mut applied = Vec::new();
    if let Some(branch) = ref_name.strip_prefix("refs/heads/")
        && let Some(protection) = protection_of(conn, repository.id, branch)?
    {
        let source = Source::Protection {
            enforce_admins: protection.enforce_admins,
        };
        applied.extend(
            Rule::from_protection(&protection)
                .into_iter()
                .map(|rule| AppliedRule {
                    rule,
                    source: source.clone(),
                }),
        );
    }
    for ruleset in rulesets_of(conn, repository, ref_name)? {
        let source = Source::Ruleset {
            bypass_actors: ruleset.bypass_actors.clone(),
        };
        applied.extend(rules_in(&ruleset).map(|rule| AppliedRule {
            rule,
            source: source.clone(),
        }));
    }
    Ok(applied)
}

pub(crate) fn for_branch(
    conn: &Connection,
    repository: &Repository,
    branch: &str,
) -> Result<Vec<AppliedRule>> {
    for_ref(conn, repository, &format!("refs/heads/{branch}"))
}

/// Whether there is any rule that a push could break.
pub(crate) fn any(conn: &Connection, repository: &Repository) -> Result<bool> {
    if !branch_protections::for_repository(conn, repository.id)?.is_empty() {
        return Ok(true);
    }
    let rulesets = rulesets::for_repository(conn, repository.id)?;
    Ok(rulesets.iter().any(is_enforced))
}

/// The protection of a branch: the one with its name, else the first whose
/// pattern fits.
pub(crate) fn protection_of(
    conn: &Connection,
    repository_id: i64,
    branch: &str,
) -> Result<Option<BranchProtection>> {
    if let Some(exact) = branch_protections::by_pattern(conn, repository_id, branch)? {
        return Ok(Some(exact));
    }
    let all = branch_protections::for_repository(conn, repository_id)?;
    Ok(all
        .into_iter()
        .find(|protection| fits(&protection.pattern, branch)))
}

/// The rulesets that are enforced on a ref.
pub(crate) fn rulesets_of(
    conn: &Connection,
    repository: &Repository,
    ref_name: &str,
) -> Result<Vec<Ruleset>> {
    let mut found = rulesets::for_repository(conn, repository.id)?;
    found.retain(|ruleset| {
        is_enforced(ruleset)
            && targets(ruleset.target, ref_name)
            && names_ref(&ruleset.conditions, repository, ref_name)
    });
    Ok(found)
}

/// The merge queue of a branch, when it has one.
pub(crate) fn merge_queue_of(
    conn: &Connection,
    repository: &Repository,
    branch: &str,
) -> Result<Option<MergeQueueRule>> {
    let applied = for_branch(conn, repository, branch)?;
    Ok(applied.into_iter().find_map(|applied| match applied.rule {
        Rule::MergeQueue(queue) => Some(queue),
        _ => None,
    }))
}

/// On which occasion a rule is looked at: a bypass may hold for one only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occasion {
    Push,
    Merge,
}

/// Whether a rule from this source is nothing to this user.
pub(crate) fn bypasses(
    conn: &Connection,
    repository: &Repository,
    source: &Source,
    user: Option<&User>,
    occasion: Occasion,
) -> Result<bool> {
    let Some(user) = user else { return Ok(false) };
    let permission = repositories::permission(conn, repository, Some(user))?;
    match source {
        Source::Protection { enforce_admins } => {
            Ok(permission == Permission::Admin && !enforce_admins)
        }
        Source::Ruleset { bypass_actors } => {
            let owner = repository.owner.id;
            let is_organization_admin = users::is_organization_admin(conn, owner, user.id)?;
            let actors = bypass_actors.as_array().map_or(&[][..], Vec::as_slice);
            Ok(actors.iter().any(|actor| {
                let in_time = match actor["bypass_mode"].as_str() {
                    Some("pull_request") => occasion == Occasion::Merge,
                    _ => true,
                };
                in_time && is_actor(actor, user, permission, is_organization_admin)
            }))
        }
    }
}

fn is_actor(actor: &Value, user: &User, permission: Permission, organization_admin: bool) -> bool {
    let id = actor["actor_id"].as_i64();
    match actor["actor_type"].as_str() {
        Some("User") => id == Some(user.id),
        Some("OrganizationAdmin") => organization_admin,
        Some("RepositoryRole") => {
            // GitHub's numbers of its built-in roles.
            let role = match id {
                Some(1) => Permission::Read,
                Some(2) => Permission::Maintain,
                Some(3) => Permission::Triage,
                Some(4) => Permission::Write,
                Some(5) => Permission::Admin,
                _ => return false,
            };
            permission >= role
        }
        _ => false,
    }
}

/// The rules in it. What was stored was read before; a rule that is not
/// understood all the same blocks nothing.
fn rules_in(ruleset: &Ruleset) -> impl Iterator<Item = Rule> {
    let rules = ruleset.rules.as_array().map_or(&[][..], Vec::as_slice);
    rules.iter().filter_map(|value| Rule::parse(value).ok())
}

fn is_enforced(ruleset: &Ruleset) -> bool {
    ruleset.enforcement == Enforcement::Active
}

fn targets(target: RulesetTarget, ref_name: &str) -> bool {
    match target {
        RulesetTarget::Branch => ref_name.starts_with("refs/heads/"),
        RulesetTarget::Tag => ref_name.starts_with("refs/tags/"),
        RulesetTarget::Push => true,
    }
}

/// `conditions.ref_name`: what is included and not excluded.
fn names_ref(conditions: &Value, repository: &Repository, ref_name: &str) -> bool {
    let names = |pattern: &str| match pattern {
        "~ALL" => true,
        "~DEFAULT_BRANCH" => ref_name == format!("refs/heads/{}", repository.default_branch),
        _ => fits(pattern, ref_name),
    };
    selects(&conditions["ref_name"], names)
}

fn fits(pattern: &str, name: &str) -> bool {
    Glob::fnmatch(pattern).is_some_and(|glob| glob.matches(name))
}

fn selects(condition: &Value, fits: impl Fn(&str) -> bool) -> bool {
    let any = |list: &Value| {
        list.as_array()
            .is_some_and(|list| list.iter().filter_map(Value::as_str).any(&fits))
    };
    any(&condition["include"]) && !any(&condition["exclude"])
}
