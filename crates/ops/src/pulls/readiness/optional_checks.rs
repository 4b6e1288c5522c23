//! Checks that no rule requires, and whether all checks could be read.

use baton_protocol::MergeRule;
use baton_protocol::tools::check_merge_readiness::LedgerEntry;

use super::super::ci_check::{CiCheck, CiState};
use super::checks;
use super::demand::Demand;
use super::facts::Facts;
use super::ledger::{Clear, Finding, entry};
use super::rules::Rule;
use crate::pulls::context::OptionalChecks;

const HOW_TO_IGNORE: &str = " With `readiness.optional_checks = \"ignore\"` in your configuration it does not stand in the way.";

/// What CI says beside the checks that rules name. What could not be read stands in the way
/// whatever a user configured, since it may be a check that a rule requires.
pub(super) fn entries(facts: &Facts, rules: &[Rule], optional: OptionalChecks) -> Vec<LedgerEntry> {
    let found = &facts.checks;
    let mut entries: Vec<LedgerEntry> = found
        .doubts
        .iter()
        .map(|doubt| blocker("every check of the head passes", Finding::unreadable(doubt)))
        .collect();
    if found.truncated {
        let clear = Clear::new("CI", "Look at all checks.").with(facts.gh_pr("checks", ""));
        let finding = Finding::unknown("statusCheckRollup: more checks than were read", clear);
        entries.push(blocker("every check of the head passes", finding));
    }
    if optional == OptionalChecks::Ignore {
        return entries;
    }
    let optional = found.all.iter().filter(|check| !is_required(check, rules));
    entries.extend(optional.filter_map(|check| judged(facts, check)));
    if let Some(run) = found.to_approve.first() {
        let finding = checks::waits_for_approval(facts, *run, "");
        entries.push(blocker("every workflow is allowed to run", finding));
    }
    // A check that is under way says so itself, required or not.
    let is_told = found.all.iter().any(CiCheck::is_unfinished);
    if found.runs_under_way > 0 && entries.is_empty() && !is_told {
        let clear = Clear::new("CI", "Wait for it.").with(facts.gh_pr("checks", ""));
        let finding = Finding::failing("checkSuites: a workflow has not ended", clear);
        entries.push(blocker("every workflow has ended", finding));
    }
    entries
}

fn judged(facts: &Facts, check: &CiCheck) -> Option<LedgerEntry> {
    let name = &check.name;
    let evidence = format!("statusCheckRollup: `{name}` = {}", check.word);
    let finding = match check.state {
        CiState::Passed => return None,
        CiState::Waiting | CiState::Running => {
            let clear = Clear::new("CI", "Wait for it.").with(facts.gh_pr("checks", ""));
            Finding::failing(evidence, clear)
        }
        CiState::Failed(_) => {
            let mut finding = checks::failed(facts, check, evidence);
            if let Some(clear) = &mut finding.clear {
                clear.action += HOW_TO_IGNORE;
            }
            finding
        }
    };
    Some(blocker(&format!("`{name}` passes"), finding))
}

fn is_required(check: &CiCheck, rules: &[Rule]) -> bool {
    rules.iter().any(|rule| {
        matches!(&rule.demand, Demand::Check { context, app }
            if *context == check.name && (app.is_none() || *app == check.app_id))
    })
}

fn blocker(what: &str, finding: Finding) -> LedgerEntry {
    entry(MergeRule::Ci, what, "the checks of the head", finding)
}
