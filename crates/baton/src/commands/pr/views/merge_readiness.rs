//! The output of `check_merge_readiness`, for people.

use baton_protocol::tools::check_merge_readiness::{
    BlockingIssue, CheckMergeReadinessOutput, LedgerEntry, ReadinessChecks, RuleStatus,
};
use serde_json::Value;

use super::View;
use super::phrases::counted;
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style, Table};

impl View for CheckMergeReadinessOutput {
    fn show(&self, page: &mut Page) {
        page.line(0, outcome(self));
        if let Some(line) = facts(self) {
            page.line(0, Line::new().styled(Style::Dim, line));
        }
        if let Some(message) = &self.message {
            page.line(0, message);
        }
        match &self.ledger {
            Some(ledger) => show_ledger(ledger, &self.blocking_issues, page),
            None => show_checks(self, page),
        }
        if let Some(command) = &self.merge_command {
            page.heading("To merge");
            page.command(0, command);
        }
    }

    fn exit(&self, _: &Value) -> Exit {
        if self.ready_to_merge {
            Exit::Done
        } else {
            Exit::Failed
        }
    }
}

fn outcome(output: &CheckMergeReadinessOutput) -> Line {
    let line = Line::new().styled(Style::Heading, &output.pr).text("  ");
    if output.ready_to_merge {
        return line.styled(Style::Good, "ready to merge");
    }
    let blockers = output.blocking_issues.len();
    let line = line.styled(Style::Bad, "not ready to merge");
    match blockers {
        0 => line,
        _ => line.text(format!(
            "  {}",
            counted(blockers, "thing in the way", "things in the way")
        )),
    }
}

fn facts(output: &CheckMergeReadinessOutput) -> Option<String> {
    let mut facts = Vec::new();
    facts.extend(
        output
            .rules_of
            .as_ref()
            .map(|branch| format!("by the rules of {branch}")),
    );
    facts.extend(
        output
            .merge_state_status
            .as_ref()
            .map(|word| format!("the forge says {word}")),
    );
    let methods = output.merge_methods.as_deref().unwrap_or_default();
    if !methods.is_empty() {
        facts.push(format!("may be merged by {}", methods.join(", ")));
    }
    (!facts.is_empty()).then(|| facts.join("; "))
}

/// What stands in the way in full, what is satisfied as a table.
fn show_ledger(ledger: &[LedgerEntry], issues: &[BlockingIssue], page: &mut Page) {
    let (satisfied, open): (Vec<_>, Vec<_>) = ledger
        .iter()
        .partition(|entry| entry.status == RuleStatus::Satisfied);
    // Both lists are of the same things in the same order.
    let mut issues = issues.iter();
    for entry in open {
        page.gap();
        show_open(entry, issues.next(), page);
    }
    if satisfied.is_empty() {
        return;
    }
    page.gap();
    let mut table = Table::new();
    for entry in satisfied {
        table.row([
            Line::new().styled(Style::Good, "✓"),
            Line::from(&entry.requirement),
            Line::new().styled(Style::Dim, &entry.evidence),
        ]);
    }
    page.table(0, &table);
}

fn show_open(entry: &LedgerEntry, issue: Option<&BlockingIssue>, page: &mut Page) {
    let proof = format!(" ({})", entry.evidence);
    let wrong = issue.map_or(&entry.requirement, |issue| &issue.description);
    let wrong = wrong.strip_suffix(&proof).unwrap_or(wrong);
    let mark = match entry.status {
        RuleStatus::Failing => Line::new().styled(Style::Bad, "✗ "),
        RuleStatus::Unknown => Line::new().styled(Style::Doubtful, "? "),
        RuleStatus::Satisfied => Line::new().styled(Style::Good, "✓ "),
    };
    let title = Line::new()
        .styled(Style::Heading, wrong)
        .styled(Style::Dim, format!("  {}", entry.source));
    page.item(0, mark, title);
    page.line(1, &entry.evidence);
    if let Some(action) = &entry.action {
        page.line(1, action);
    }
    if let Some(who) = &entry.cleared_by {
        page.line(
            1,
            Line::new().styled(Style::Dim, format!("can be cleared by {who}")),
        );
    }
    for command in &entry.commands {
        page.command(1, command);
    }
}

/// Of an answer that has no ledger.
fn show_checks(output: &CheckMergeReadinessOutput, page: &mut Page) {
    let ReadinessChecks {
        ci_passing,
        approvals_met,
        no_conflicts,
        up_to_date,
        branch_protection_satisfied,
    } = output.checks;
    let mut table = Table::new();
    for (holds, what) in [
        (ci_passing, "CI passes"),
        (approvals_met, "enough approvals"),
        (no_conflicts, "no conflicts"),
        (up_to_date, "up to date with its base"),
        (branch_protection_satisfied, "all rules satisfied"),
    ] {
        let mark = if holds {
            Line::new().styled(Style::Good, "✓")
        } else {
            Line::new().styled(Style::Bad, "✗")
        };
        table.row([mark, Line::from(what)]);
    }
    page.table(0, &table);
    for issue in &output.blocking_issues {
        page.gap();
        let line = Line::new()
            .styled(Style::Heading, &issue.description)
            .styled(Style::Dim, format!("  {}", issue.category));
        page.item(0, Line::new().styled(Style::Bad, "✗ "), line);
        page.line(1, &issue.action_required);
    }
}
