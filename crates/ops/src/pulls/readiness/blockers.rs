//! What is wrong, where a rule is not kept: the rule alone says only what is
//! wished for.

use baton_protocol::MergeRule;
use baton_protocol::tools::check_merge_readiness::{LedgerEntry, RuleStatus};
use baton_remote::github::Fact;

use super::super::ci_check::CiCheck;
use super::facts::Facts;

/// What stands in the way, in a few words.
pub(super) fn describe(entry: &LedgerEntry, facts: &Facts) -> String {
    let (asked, base) = (&entry.requirement, &facts.base);
    if entry.status == RuleStatus::Unknown {
        return format!("not known: {asked}");
    }
    match entry.rule {
        MergeRule::Open if facts.base_exists == Fact::Known(false) => {
            format!("its base branch {base} is gone")
        }
        MergeRule::Open => "it is closed".to_owned(),
        MergeRule::Draft => "it is a draft".to_owned(),
        MergeRule::Conflicts => format!("it has conflicts with {base}"),
        MergeRule::Archived => "the repository is archived".to_owned(),
        MergeRule::Hold => "someone asks to wait with it".to_owned(),
        MergeRule::Approvals => format!("not enough approvals: {asked} needed"),
        MergeRule::CodeOwners => "a code owner has not approved it".to_owned(),
        MergeRule::LastPushApproval => "no one else has approved the latest push".to_owned(),
        MergeRule::Conversations => "review conversations are unresolved".to_owned(),
        MergeRule::RequiredCheck => check("required check", asked, facts),
        MergeRule::Ci if asked.starts_with('`') => {
            format!("{}, and no rule requires it", check("check", asked, facts))
        }
        MergeRule::Ci => format!("not {asked}, and no rule requires it"),
        MergeRule::UpToDate => format!("the branch lacks commits of {base}"),
        MergeRule::Signatures => "a commit has no verified signature".to_owned(),
        MergeRule::LinearHistory | MergeRule::MergeMethods => {
            "no way of merging that the rules allow is switched on".to_owned()
        }
        MergeRule::Deployment => asked.replacen(" is deployed ", " is not deployed ", 1),
        MergeRule::MergeQueue => "the merge queue could not merge it".to_owned(),
        MergeRule::Update => format!("{base} may not be changed"),
        MergeRule::Locked => format!("{base} is locked"),
        MergeRule::PushRestriction => "you may not push to the branch".to_owned(),
        MergeRule::TeamReview
        | MergeRule::RequiredWorkflow
        | MergeRule::CodeScanning
        | MergeRule::UnreadRules
        | MergeRule::Other => format!("missing: {asked}"),
    }
}

/// Of "`test` passes".
fn check(kind: &str, asked: &str, facts: &Facts) -> String {
    let shown = asked.strip_suffix(" passes").unwrap_or(asked);
    let name = shown.trim_matches('`');
    let checks = || facts.checks.all.iter().filter(|check| check.name == name);
    let fate = if checks().next().is_none() {
        "has not reported"
    } else if checks().any(|check| check.failed().is_some()) {
        "failed"
    } else if checks().any(CiCheck::is_unfinished) {
        "has not ended"
    } else {
        "will not report in the merge queue"
    };
    format!("{kind} {shown} {fate}")
}
