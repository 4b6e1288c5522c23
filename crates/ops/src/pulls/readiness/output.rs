//! The ledger as the answer of the contract.

use baton_host::cmd::quote;
use baton_protocol::MergeRule;
use baton_protocol::tools::UnreadablePart;
use baton_protocol::tools::check_merge_readiness::{
    BlockingIssue, BranchProtection, CheckMergeReadinessOutput, LedgerEntry, ReadinessChecks,
    RuleStatus,
};
use baton_remote::github::enums::MergeMethod;
use baton_remote::github::{Fact, Unreadable};

use super::super::ci_check::{CiCheck, CiState};
use super::blockers;
use super::checks;
use super::demand::Demand;
use super::facts::Facts;
use super::fetching::Found;
use super::ledger;
use super::reviews::and_more;
use super::rules::Rule;
use crate::pulls::context::OptionalChecks;
use crate::pulls::gh;
use crate::pulls::unreadable;

/// More blockers than this are counted and not shown.
const MAX_BLOCKERS: usize = 30;
const MAX_NAMES: usize = 5;

pub(super) fn build(found: &Found, optional: OptionalChecks) -> CheckMergeReadinessOutput {
    let (facts, rules) = (&found.facts, found.rules.as_slice());
    let mut entries = ledger::build(facts, rules, optional);
    let is_ready = entries
        .iter()
        .all(|entry| entry.status == RuleStatus::Satisfied);
    let blockers = entries
        .iter()
        .filter(|entry| entry.status != RuleStatus::Satisfied)
        .count();
    let checks = readiness_checks(facts, rules, &entries);
    if blockers > MAX_BLOCKERS {
        entries.drain(MAX_BLOCKERS..blockers);
    }
    let methods = ledger::methods(facts, rules);
    CheckMergeReadinessOutput {
        pr: format!("{}#{}", facts.repository, facts.number),
        ready_to_merge: is_ready,
        checks,
        blocking_issues: entries
            .iter()
            .filter(|entry| entry.status != RuleStatus::Satisfied)
            .map(|entry| issue(entry, facts))
            .collect(),
        branch_protection: protection(facts, rules),
        ledger: Some(entries),
        merge_command: (is_ready && facts.queue.entry.is_none())
            .then(|| merge_command(facts, rules, &methods)),
        merge_methods: Some(
            methods
                .iter()
                .map(|method| method.as_str().to_owned())
                .collect(),
        ),
        merge_state_status: Some(facts.state.as_str().to_owned()),
        rules_of: Some(facts.base.clone()),
        message: message(found, is_ready, blockers),
        unreadable: unread(found),
    }
}

/// Rules that cannot be read, and parts of the pull request.
fn unread(found: &Found) -> Vec<UnreadablePart> {
    let rules = found.rules.iter().filter_map(|rule| match &rule.demand {
        Demand::Unread {
            what,
            field,
            remedy,
        } => Some(Unreadable {
            what: format!("{}: {what}", rule.source),
            reason: field.clone(),
            remedy: remedy.clone(),
        }),
        _ => None,
    });
    let rules: Vec<Unreadable> = rules.collect();
    // A part that became a rule is told once.
    let is_told = |part: &&Unreadable| rules.iter().any(|rule| rule.reason == part.to_string());
    let parts = found.unreadable.iter().filter(|part| !is_told(part));
    unreadable::parts(rules.iter().chain(parts))
}

fn readiness_checks(facts: &Facts, rules: &[Rule], entries: &[LedgerEntry]) -> ReadinessChecks {
    let holds = |wanted: fn(RuleKind) -> bool| {
        let mut asked = entries.iter().filter(|entry| wanted(rule_kind(entry.rule)));
        asked.all(|entry| entry.status == RuleStatus::Satisfied)
    };
    // Rules that cannot be read may ask for approvals. What only administrators see of a
    // protection is at most one more, which the forge's own decision includes.
    let may_ask_for_more = |rule: &Rule| match &rule.demand {
        Demand::Unread { .. } => true,
        Demand::AdministratorsOnly => !facts.is_approved(),
        Demand::Other(kind) => kind == "pull_request",
        _ => false,
    };
    ReadinessChecks {
        ci_passing: checks::is_ci_passing(facts) && holds(|kind| kind == RuleKind::Check),
        approvals_met: holds(|kind| kind == RuleKind::Approval)
            && !rules.iter().any(may_ask_for_more),
        no_conflicts: ledger::has_no_conflicts(facts),
        up_to_date: facts.behind_by == Fact::Known(0),
        branch_protection_satisfied: holds(|kind| kind != RuleKind::PullRequest),
    }
}

/// What a rule is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RuleKind {
    /// The pull request itself, whatever the branch asks for.
    PullRequest,
    Approval,
    Check,
    /// Something else that the branch asks for.
    Branch,
}

fn rule_kind(rule: MergeRule) -> RuleKind {
    match rule {
        MergeRule::Open
        | MergeRule::Draft
        | MergeRule::Conflicts
        | MergeRule::Archived
        | MergeRule::Hold
        | MergeRule::Ci => RuleKind::PullRequest,
        MergeRule::Approvals
        | MergeRule::CodeOwners
        | MergeRule::LastPushApproval
        | MergeRule::TeamReview => RuleKind::Approval,
        MergeRule::RequiredCheck => RuleKind::Check,
        MergeRule::Conversations
        | MergeRule::UpToDate
        | MergeRule::RequiredWorkflow
        | MergeRule::CodeScanning
        | MergeRule::Signatures
        | MergeRule::LinearHistory
        | MergeRule::MergeMethods
        | MergeRule::Deployment
        | MergeRule::MergeQueue
        | MergeRule::Update
        | MergeRule::Locked
        | MergeRule::PushRestriction
        | MergeRule::UnreadRules
        | MergeRule::Other => RuleKind::Branch,
    }
}

fn issue(entry: &LedgerEntry, facts: &Facts) -> BlockingIssue {
    let action = entry.action.as_deref().unwrap_or_default();
    let action_required = match entry.commands.as_slice() {
        [] => action.to_owned(),
        commands => format!("{action} `{}`", commands.join(" && ")),
    };
    BlockingIssue {
        category: entry.rule.to_string(),
        description: format!("{} ({})", blockers::describe(entry, facts), entry.evidence),
        action_required,
    }
}

fn protection(facts: &Facts, rules: &[Rule]) -> Option<BranchProtection> {
    // Numbers of some of the rules would look like those of all.
    let is_unread = |rule: &Rule| matches!(rule.demand, Demand::Unread { .. });
    if rules.is_empty() || rules.iter().any(is_unread) {
        return None;
    }
    let approvals = rules.iter().filter_map(|rule| match rule.demand {
        Demand::Approvals(count) => Some(u64::from(count)),
        _ => None,
    });
    let mut required: Vec<&str> = rules
        .iter()
        .filter_map(|rule| match &rule.demand {
            Demand::Check { context, .. } => Some(context.as_str()),
            _ => None,
        })
        .collect();
    required.sort_unstable();
    required.dedup();
    let reports = |name: &str| -> Vec<&CiCheck> {
        let all = facts.checks.all.iter();
        all.filter(|check| check.name == name).collect()
    };
    let names = |wanted: fn(&[&CiCheck]) -> bool| {
        let found = required.iter().filter(|name| wanted(&reports(name)));
        found.map(ToString::to_string).collect::<Vec<String>>()
    };
    Some(BranchProtection {
        required_approvals: approvals.max().unwrap_or(0),
        current_approvals: facts.approvals().count() as u64,
        passing_checks: names(|all| {
            !all.is_empty() && all.iter().all(|one| one.state == CiState::Passed)
        }),
        failing_checks: names(|all| all.iter().any(|one| one.failed().is_some())),
        required_checks: required.into_iter().map(str::to_owned).collect(),
    })
}

/// A merge by hand is refused where there is a queue.
const ENQUEUE: &str = "mutation($id: ID!, $head: GitObjectID!) { enqueuePullRequest(input: {pullRequestId: $id, expectedHeadOid: $head}) { mergeQueueEntry { position } } }";

fn merge_command(facts: &Facts, rules: &[Rule], methods: &[MergeMethod]) -> String {
    let head = &facts.head;
    if facts.queue.is_enabled || rules.iter().any(|rule| rule.demand == Demand::Queue) {
        let (query, id) = (quote(ENQUEUE), quote(&facts.id));
        let command = format!("gh api graphql -f query={query} -f id={id} -f head={head}");
        return gh::on_host(&facts.web_url, command);
    }
    let chosen = facts
        .auto_merge
        .iter()
        .find(|method| methods.contains(method));
    let method = chosen.or_else(|| methods.first());
    let method = method.map_or_else(String::new, |method| format!("--{} ", method.as_str()));
    let command = facts.gh_pr("merge", &format!("{method}--match-head-commit {head}"));
    gh::on_host(&facts.web_url, command)
}

fn message(found: &Found, is_ready: bool, blockers: usize) -> Option<String> {
    let (facts, around) = (&found.facts, &found.circumstances);
    let mut parts = Vec::new();
    if blockers > MAX_BLOCKERS {
        parts.push(format!(
            "{blockers} things stand in the way; the first {MAX_BLOCKERS} are shown."
        ));
    }
    parts.extend(ci_in_words(found));
    if let Fact::Unreadable(unreadable) = &facts.behind_by {
        parts.push(format!("{unreadable}. {}", unreadable.remedy));
    }
    if let Some(entry) = &facts.queue.entry {
        parts.push(format!(
            "It is in the merge queue at position {} ({}).",
            entry.position, entry.state
        ));
    }
    if let Some(method) = &facts.auto_merge {
        parts.push(format!(
            "Auto-merge is on: it is merged by {} as soon as nothing stands in the way.",
            method.as_str()
        ));
    }
    if around.is_in_native_stack {
        parts.push(format!(
            "It is part of a stack on {}, whose rules count.",
            facts.base
        ));
    } else if let Some(below) = around.stacked_on.first() {
        parts.push(format!(
            "It goes into {}, the branch of the open #{below}: merging puts it there.",
            facts.base
        ));
    }
    if !around.may_write {
        parts.push("The caller may not merge here.".to_owned());
    } else if around.may_merge_as_admin && !is_ready && !found.rules.is_empty() {
        parts.push("The caller may merge past the rules as an administrator.".to_owned());
    }
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// What CI says that no rule asks for.
fn ci_in_words(found: &Found) -> Option<String> {
    let checks = &found.facts.checks;
    if checks.are_none() {
        return Some("No CI reports on the head.".to_owned());
    }
    let is_asked_for = |name: &str| {
        found
            .rules
            .iter()
            .any(|rule| matches!(&rule.demand, Demand::Check { context, .. } if context == name))
    };
    let failed: Vec<&str> = checks
        .all
        .iter()
        .filter(|check| check.failed().is_some() && !is_asked_for(&check.name))
        .map(|check| check.name.as_str())
        .collect();
    if !failed.is_empty() {
        let shown = failed.iter().take(MAX_NAMES).copied().collect::<Vec<_>>();
        // What cannot be read may require them.
        let is_unread = |rule: &Rule| matches!(rule.demand, Demand::Unread { .. });
        let label = if found.rules.iter().any(is_unread) {
            "Failed"
        } else {
            "Not required and failed"
        };
        let names = shown.join(", ");
        return Some(format!(
            "{label}: {names}{}.",
            and_more(failed.len() - shown.len())
        ));
    }
    let waits = checks.is_under_way();
    waits.then(|| "CI is under way.".to_owned())
}
