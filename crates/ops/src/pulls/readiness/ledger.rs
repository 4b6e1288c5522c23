//! The ledger: for each thing that is asked, whether it is there, the field
//! that proves it, and who can clear it how.

use std::collections::BTreeMap;

use baton_host::cmd::quote;
use baton_protocol::tools::check_merge_readiness::{LedgerEntry, RuleStatus};
use baton_remote::github::Unreadable;
use baton_remote::github::words::{MergeMethod, Mergeable};

use super::facts::Facts;
use super::rules::{Demand, Rule};
use super::{checks, optional_checks, reviews, state};
use crate::pulls::desk::OptionalChecks;

/// What was found about one thing that is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) status: RuleStatus,
    pub(super) evidence: String,
    pub(super) clear: Option<Clear>,
}

/// How to get rid of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clear {
    pub(super) by: String,
    pub(super) action: String,
    pub(super) commands: Vec<String>,
}

impl Finding {
    pub(super) fn satisfied(evidence: impl Into<String>) -> Self {
        Self {
            status: RuleStatus::Satisfied,
            evidence: evidence.into(),
            clear: None,
        }
    }

    pub(super) fn failing(evidence: impl Into<String>, clear: Clear) -> Self {
        Self {
            status: RuleStatus::Failing,
            evidence: evidence.into(),
            clear: Some(clear),
        }
    }

    /// A fact that is withheld. The remedy is for the user who asks, since it is their token.
    pub(super) fn unreadable(unreadable: &Unreadable) -> Self {
        let clear = Clear::new("the owner of the token", &unreadable.remedy);
        Self::unknown(unreadable.to_string(), clear)
    }

    pub(super) fn unknown(evidence: impl Into<String>, clear: Clear) -> Self {
        Self {
            status: RuleStatus::Unknown,
            ..Self::failing(evidence, clear)
        }
    }
}

impl Clear {
    pub(super) fn new(by: impl Into<String>, action: impl Into<String>) -> Self {
        Self {
            by: by.into(),
            action: action.into(),
            commands: Vec::new(),
        }
    }

    #[must_use]
    pub(super) fn with(mut self, command: impl Into<String>) -> Self {
        self.commands.push(command.into());
        self
    }
}

pub(super) const ANYBODY_WHO_MAY_WRITE: &str = "anybody with write access";
pub(super) const ADMINISTRATOR: &str = "an administrator of the repository";

impl Facts {
    /// `gh pr WORDS 12 --repo octo/demo`
    pub(super) fn gh_pr(&self, verb: &str, more: &str) -> String {
        let repository = quote(self.repository.to_string());
        let space = if more.is_empty() { "" } else { " " };
        format!(
            "gh pr {verb} {} --repo {repository}{space}{more}",
            self.number
        )
    }

    pub(super) fn author_or_writer(&self) -> String {
        match &self.author {
            Some(author) => format!("{author}, or {ANYBODY_WHO_MAY_WRITE}"),
            None => ANYBODY_WHO_MAY_WRITE.to_owned(),
        }
    }
}

/// All that is asked of a pull request; what stands in the way comes first.
pub(super) fn of(facts: &Facts, rules: &[Rule], optional: OptionalChecks) -> Vec<LedgerEntry> {
    let mut entries: Vec<LedgerEntry> = state::of(facts);
    for rule in rules {
        let (kind, requirement, finding) = judged(facts, rules, &rule.demand);
        entries.push(entry(kind, requirement, &rule.source, finding));
    }
    entries.extend(optional_checks::of(facts, rules, optional));
    entries.sort_by_key(|entry| entry.status);
    passed_checks_together(entries)
}

pub(super) fn entry(
    rule: &str,
    requirement: impl Into<String>,
    source: &str,
    finding: Finding,
) -> LedgerEntry {
    let (cleared_by, action, commands) = match finding.clear {
        Some(clear) => (Some(clear.by), Some(clear.action), clear.commands),
        None => (None, None, Vec::new()),
    };
    LedgerEntry {
        rule: rule.to_owned(),
        status: finding.status,
        requirement: requirement.into(),
        source: source.to_owned(),
        evidence: finding.evidence,
        cleared_by,
        action,
        commands,
    }
}

fn judged(facts: &Facts, rules: &[Rule], demand: &Demand) -> (&'static str, String, Finding) {
    match demand {
        Demand::Approvals(count) => (
            "approvals",
            format!("{} of those with write access", plural(*count, "approval")),
            reviews::approvals(facts, *count),
        ),
        Demand::CodeOwners => (
            "code_owners",
            "an approval of a code owner for every changed file that has one".to_owned(),
            reviews::code_owners(facts),
        ),
        Demand::LastPush => (
            "last_push_approval",
            "an approval of the latest push by somebody else than who pushed".to_owned(),
            reviews::last_push(facts),
        ),
        Demand::Teams { patterns, minimum } => (
            "team_review",
            format!(
                "{} of a team for {}",
                plural(*minimum, "approval"),
                patterns.join(", ")
            ),
            reviews::teams(facts),
        ),
        Demand::Conversations => (
            "conversations",
            "all review conversations are resolved".to_owned(),
            reviews::conversations(facts),
        ),
        Demand::Check { context, app } => {
            let has_queue = rules.iter().any(|rule| rule.demand == Demand::Queue);
            (
                "required_check",
                format!("`{context}` passes"),
                checks::required(facts, context, *app, has_queue || facts.queue.is_enabled),
            )
        }
        Demand::UpToDate => (
            "up_to_date",
            format!("the branch has all commits of {}", facts.base),
            checks::up_to_date(facts),
        ),
        Demand::Workflow(path) => (
            "required_workflow",
            format!("the workflow {path} passes"),
            state::by_the_forge_alone(facts, "the runs of required workflows"),
        ),
        Demand::CodeScanning(tool) => (
            "code_scanning",
            format!("{tool} finds nothing new"),
            state::by_the_forge_alone(facts, "the results of code scanning"),
        ),
        other => state::of_branch(facts, rules, other),
    }
}

/// The ways of merging that the repository and all rules allow.
pub(super) fn methods(facts: &Facts, rules: &[Rule]) -> Vec<MergeMethod> {
    let mut methods = facts.methods.clone();
    for rule in rules {
        match &rule.demand {
            Demand::Methods(allowed) => methods.retain(|method| allowed.contains(method)),
            Demand::LinearHistory => methods.retain(|method| *method != MergeMethod::Merge),
            _ => {}
        }
    }
    methods
}

/// Names of checks that passed; a list of two hundred helps nobody.
const MOST_PASSED: usize = 20;

/// The checks of one source that passed are one entry.
fn passed_checks_together(entries: Vec<LedgerEntry>) -> Vec<LedgerEntry> {
    let mut kept: Vec<LedgerEntry> = Vec::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let is_passed_check = |entry: &LedgerEntry| {
        entry.rule == "required_check" && entry.status == RuleStatus::Satisfied
    };
    for entry in entries {
        if !is_passed_check(&entry) {
            kept.push(entry);
            continue;
        }
        let count = counts.entry(entry.source.clone()).or_default();
        *count += 1;
        let same = kept
            .iter_mut()
            .find(|known| is_passed_check(known) && known.source == entry.source);
        match same {
            Some(known) if *count <= MOST_PASSED => {
                known.requirement = format!("{}, {}", known.requirement, entry.requirement);
                known.evidence = format!("{}, {}", known.evidence, entry.evidence);
            }
            Some(_) => {}
            None => kept.push(entry),
        }
    }
    for entry in kept.iter_mut().filter(|entry| is_passed_check(entry)) {
        let more = counts[&entry.source].saturating_sub(MOST_PASSED);
        if more > 0 {
            entry.requirement = format!("{} and {more} more", entry.requirement);
            entry.evidence = format!("{} and {more} more", entry.evidence);
        }
    }
    kept
}

pub(super) fn plural(count: u32, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

/// A null is never "no conflict".
pub(super) fn has_no_conflicts(facts: &Facts) -> bool {
    facts.mergeable == Mergeable::Mergeable
}
