//! What is wrong, where a rule is not kept: the rule alone says only what is
//! wished for.

use baton_protocol::tools::check_merge_readiness::{LedgerEntry, RuleStatus};
use baton_remote::github::Fact;

use super::facts::{CheckState, Facts};

/// What stands in the way, in a few words.
pub(super) fn of(entry: &LedgerEntry, facts: &Facts) -> String {
    let (asked, base) = (&entry.requirement, &facts.base);
    if entry.status == RuleStatus::Unknown {
        return format!("not known: {asked}");
    }
    match entry.rule.as_str() {
        "open" if facts.base_exists == Fact::Known(false) => {
            format!("its base branch {base} is gone")
        }
        "open" => "it is closed".to_owned(),
        "draft" => "it is a draft".to_owned(),
        "conflicts" => format!("it has conflicts with {base}"),
        "archived" => "the repository is archived".to_owned(),
        "hold" => "somebody asks to wait with it".to_owned(),
        "approvals" => format!("not enough approvals: {asked} needed"),
        "code_owners" => "a code owner has not approved it".to_owned(),
        "last_push_approval" => "nobody else has approved the latest push".to_owned(),
        "conversations" => "review conversations are unresolved".to_owned(),
        "required_check" => check("required check", asked, facts),
        "ci" if asked.starts_with('`') => {
            format!("{}, and no rule requires it", check("check", asked, facts))
        }
        "ci" => format!("not {asked}, and no rule requires it"),
        "up_to_date" => format!("the branch lacks commits of {base}"),
        "signatures" => "a commit has no verified signature".to_owned(),
        "linear_history" | "merge_methods" => {
            "no way of merging that the rules allow is switched on".to_owned()
        }
        "deployment" => asked.replacen(" is deployed ", " is not deployed ", 1),
        "merge_queue" => "the merge queue could not merge it".to_owned(),
        "update" => format!("{base} may not be changed"),
        "locked" => format!("{base} is locked"),
        "push_restriction" => "you may not push to the branch".to_owned(),
        _ => format!("missing: {asked}"),
    }
}

/// Of "`test` passes".
fn check(kind: &str, asked: &str, facts: &Facts) -> String {
    let shown = asked.strip_suffix(" passes").unwrap_or(asked);
    let name = shown.trim_matches('`');
    let states = facts.checks.all.iter().filter(|check| check.name == name);
    let states: Vec<CheckState> = states.map(|check| check.state).collect();
    let fate = if states.is_empty() {
        "has not reported"
    } else if states.contains(&CheckState::Failed) {
        "failed"
    } else if states.contains(&CheckState::Unfinished) {
        "has not ended"
    } else {
        "will not report in the merge queue"
    };
    format!("{kind} {shown} {fate}")
}
