//! Rulesets.

use crate::store::prelude::*;
use serde_json::Value;

/// A named list of rules for branches or tags. Conditions, rules and who may
/// bypass them are kept in GitHub's words; `actions::rules` reads them.
#[derive(Debug, Clone)]
pub(crate) struct Ruleset {
    pub(crate) id: i64,
    pub(crate) repository_id: i64,
    pub(crate) name: String,
    pub(crate) target: RulesetTarget,
    pub(crate) enforcement: Enforcement,
    pub(crate) bypass_actors: Value,
    pub(crate) conditions: Value,
    pub(crate) rules: Value,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
}

text_enum! {
    RulesetTarget {
        Branch = "branch",
        Tag = "tag",
        Push = "push",
    }
}

text_enum! {
    Enforcement {
        Disabled = "disabled",
        Active = "active",
        /// Looked at, never enforced.
        Evaluate = "evaluate",
    }
}

pub(crate) fn create(tx: &Transaction<'_>, ruleset: &Ruleset) -> rusqlite::Result<i64> {
    insert!(tx => rulesets {
        repository_id: ruleset.repository_id, name: ruleset.name, target: ruleset.target,
        enforcement: ruleset.enforcement, bypass_actors: ruleset.bypass_actors.to_string(),
        conditions: ruleset.conditions.to_string(), rules: ruleset.rules.to_string(),
        created_at: ruleset.created_at, updated_at: ruleset.updated_at,
    })
}

sql! {
    run update(ruleset: &Ruleset):
        "UPDATE rulesets
         SET name = ?, target = ?, enforcement = ?, bypass_actors = ?, conditions = ?, rules = ?,
         updated_at = ? WHERE id = ?",
        [ruleset.name, ruleset.target, ruleset.enforcement, ruleset.bypass_actors.to_string(),
         ruleset.conditions.to_string(), ruleset.rules.to_string(), ruleset.updated_at, ruleset.id];
    run delete(id: i64): "DELETE FROM rulesets WHERE id = ?";
    find by_id(id: i64) -> Ruleset:
        "SELECT * FROM rulesets WHERE id = ? AND repository_id IS NOT NULL";
    all for_repository(repository_id: i64) -> Ruleset:
        "SELECT * FROM rulesets WHERE repository_id = ? ORDER BY id";
}

from_row! {
    (_conn, row) => Ruleset {
        id, repository_id, name, target, enforcement, created_at, updated_at;
        bypass_actors: json_column(row, "bypass_actors")?.unwrap_or_default(),
        conditions: json_column(row, "conditions")?.unwrap_or_default(),
        rules: json_column(row, "rules")?.unwrap_or_default(),
    }
}
