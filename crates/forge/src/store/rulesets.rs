//! Rulesets.

use crate::store::prelude::*;
use serde_json::Value;

row! {
    /// A named list of rules for branches or tags. Conditions, rules and who may
    /// bypass them are kept in GitHub's words; `actions::rules` reads them.
    Ruleset by (_conn, row) {
        id: i64,
        repository_id: i64,
        name: String,
        target: RulesetTarget,
        enforcement: Enforcement,
        bypass_actors: Value = json_column(row, "bypass_actors")?.unwrap_or_default(),
        conditions: Value = json_column(row, "conditions")?.unwrap_or_default(),
        rules: Value = json_column(row, "rules")?.unwrap_or_default(),
        created_at: String,
        updated_at: String,
    }
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

inserts! {
    create(ruleset: &Ruleset) into rulesets {
        repository_id: ruleset.repository_id, name: ruleset.name, target: ruleset.target,
        enforcement: ruleset.enforcement, bypass_actors: ruleset.bypass_actors.to_string(),
        conditions: ruleset.conditions.to_string(), rules: ruleset.rules.to_string(),
        created_at: ruleset.created_at, updated_at: ruleset.updated_at,
    }
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
