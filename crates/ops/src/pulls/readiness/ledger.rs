//! The ledger: for each thing that is asked, whether it is there, the field
//! that proves it, and who can clear it how.

use std::collections::BTreeMap;
use std::mem;

use baton_host::cmd::quote;
use baton_protocol::MergeRule;
use baton_protocol::tools::check_merge_readiness::{LedgerEntry, RuleStatus};
use baton_remote::github::Unreadable;
use baton_remote::github::enums::{MergeMethod, Mergeable};

use super::demand::Demand;
use super::facts::Facts;
use super::rules::{READ_ADMINISTRATION, Rule};
use super::{checks, optional_checks, reviews, state};
use crate::pulls::context::OptionalChecks;
use crate::pulls::gh;

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
pub(super) fn build(facts: &Facts, rules: &[Rule], optional: OptionalChecks) -> Vec<LedgerEntry> {
    let mut entries: Vec<LedgerEntry> = state::entries(facts);
    for rule in rules {
        let demand = &rule.demand;
        let finding = judged(facts, rules, demand);
        let requirement = demand.requirement(&facts.base);
        entries.push(entry(demand.rule(), requirement, &rule.source, finding));
    }
    entries.extend(optional_checks::entries(facts, rules, optional));
    entries.sort_by_key(|entry| entry.status);
    for command in entries.iter_mut().flat_map(|entry| &mut entry.commands) {
        *command = gh::on_host(&facts.web_url, mem::take(command));
    }
    passed_checks_together(entries)
}

pub(super) fn entry(
    rule: MergeRule,
    requirement: impl Into<String>,
    source: &str,
    finding: Finding,
) -> LedgerEntry {
    let (cleared_by, action, commands) = match finding.clear {
        Some(clear) => (Some(clear.by), Some(clear.action), clear.commands),
        None => (None, None, Vec::new()),
    };
    LedgerEntry {
        rule,
        status: finding.status,
        requirement: requirement.into(),
        source: source.to_owned(),
        evidence: finding.evidence,
        cleared_by,
        action,
        commands,
    }
}

fn judged(facts: &Facts, rules: &[Rule], demand: &Demand) -> Finding {
    match demand {
        Demand::Approvals(count) => reviews::approvals(facts, *count),
        Demand::CodeOwners => reviews::code_owners(facts),
        Demand::LastPush => reviews::last_push(facts),
        Demand::Teams { .. } => reviews::teams(facts),
        Demand::Conversations => reviews::conversations(facts),
        Demand::Check { context, app } => {
            let has_queue = rules.iter().any(|rule| rule.demand == Demand::Queue);
            checks::required(facts, context, *app, has_queue || facts.queue.is_enabled)
        }
        Demand::UpToDate => checks::up_to_date(facts),
        Demand::Workflow(_) => state::by_the_forge_alone(facts, "the runs of required workflows"),
        Demand::CodeScanning(_) => state::by_the_forge_alone(facts, "the results of code scanning"),
        Demand::Signatures => state::signatures(facts),
        Demand::LinearHistory | Demand::Methods(_) => state::methods(facts, rules),
        Demand::Deployment(environment) => state::deployment(facts, environment),
        Demand::Queue => state::queue(facts),
        Demand::Update => state::update(),
        Demand::Locked => state::locked(),
        Demand::Pushers { viewer_may } => state::pushers(*viewer_may),
        Demand::Unread { field, remedy, .. } => {
            Finding::unknown(field.clone(), Clear::new(ADMINISTRATOR, remedy))
        }
        Demand::AdministratorsOnly => Finding::unknown(
            "branchProtectionRule: null; refUpdateRule: present",
            Clear::new(ADMINISTRATOR, READ_ADMINISTRATION),
        ),
        Demand::Other(_) => state::other(),
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

/// Names of checks that passed; a list of two hundred is of no use.
const MAX_PASSED_NAMES: usize = 20;

/// The checks of one source that passed are one entry.
fn passed_checks_together(entries: Vec<LedgerEntry>) -> Vec<LedgerEntry> {
    let mut kept: Vec<LedgerEntry> = Vec::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let is_passed_check = |entry: &LedgerEntry| {
        entry.rule == MergeRule::RequiredCheck && entry.status == RuleStatus::Satisfied
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
            Some(known) if *count <= MAX_PASSED_NAMES => {
                known.requirement = format!("{}, {}", known.requirement, entry.requirement);
                known.evidence = format!("{}, {}", known.evidence, entry.evidence);
            }
            Some(_) => {}
            None => kept.push(entry),
        }
    }
    for entry in kept.iter_mut().filter(|entry| is_passed_check(entry)) {
        let more = counts[&entry.source].saturating_sub(MAX_PASSED_NAMES);
        if more > 0 {
            entry.requirement = format!("{} and {more} more", entry.requirement);
            entry.evidence = format!("{} and {more} more", entry.evidence);
        }
    }
    kept
}

/// A null is never "no conflict".
pub(super) fn has_no_conflicts(facts: &Facts) -> bool {
    facts.mergeable == Mergeable::Mergeable
}
