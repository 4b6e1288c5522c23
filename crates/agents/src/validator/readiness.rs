//! The rules of the branch: what the fixer can clear, and what only people or
//! time can.

use baton_host::git::Oid;
use baton_protocol::MergeRule;
use baton_protocol::tools::check_merge_readiness::{LedgerEntry, RuleStatus};
use tokio::time::Instant;

use super::failures::Failures;
use super::validated::Way;
use super::{kinds, up_to_date};
use crate::AgentStep;
use crate::foreign_text::one_line;
use crate::pull::Pull;
use crate::step_error::StepError;
use crate::workspace::Workspace;

/// A forge works out in the background whether something can be merged.
const LOOKS: u32 = 10;

/// Fills in what can be mended, and says which way the rest goes. An error says
/// what only people can clear.
pub(super) async fn check(
    step: &AgentStep<'_>,
    pull: &Pull,
    workspace: &Workspace,
    failures: &mut Failures,
) -> Result<Way, StepError> {
    let mut looks = 0;
    let output = loop {
        let output = up_to_date::ledger(step, pull).await?;
        looks += 1;
        let mut open = output
            .ledger
            .iter()
            .flatten()
            .filter(|entry| is_open(entry));
        let waits = open
            .any(|entry| entry.rule == MergeRule::Conflicts && entry.status == RuleStatus::Unknown);
        if !waits || looks >= LOOKS {
            break output;
        }
        let until = Instant::now() + step.place.settings.ci_interval;
        tokio::select! {
            () = step.context.cancel.cancelled() => return Err(StepError::cancelled()),
            () = tokio::time::sleep_until(until) => {}
        }
    };
    let mut people = Vec::new();
    for entry in output
        .ledger
        .iter()
        .flatten()
        .filter(|entry| is_open(entry))
    {
        match entry.rule {
            MergeRule::Conflicts => {
                // Where git itself says that they fit, nothing is in the way.
                if let Some((base, conflict)) = conflict(step, workspace).await? {
                    failures.add_conflict(base, &conflict);
                }
            }
            MergeRule::RequiredCheck if is_failed(entry) => {
                failures.add(
                    kinds::CI,
                    &format!("{}: {}", entry.requirement, entry.evidence),
                );
            }
            MergeRule::Open
            | MergeRule::Draft
            | MergeRule::Archived
            | MergeRule::Hold
            | MergeRule::Approvals
            | MergeRule::CodeOwners
            | MergeRule::LastPushApproval
            | MergeRule::TeamReview
            | MergeRule::Conversations
            | MergeRule::RequiredCheck
            | MergeRule::Ci
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
            | MergeRule::Other => people.push(told(entry)),
        }
    }
    let has_queue = output
        .ledger
        .iter()
        .flatten()
        .any(|entry| entry.rule == MergeRule::MergeQueue);
    let way = if has_queue { Way::Queue } else { Way::Direct };
    let method = step.place.settings.merge_method.as_str();
    // A queue has a method of its own.
    if let Some(allowed) = &output.merge_methods
        && way == Way::Direct
        && !allowed.iter().any(|one| one == method)
    {
        people.push(format!(
            "merging by {method} is not allowed, only by {}; set the merge method of the project",
            allowed.join(" or ")
        ));
    }
    if !failures.is_empty() || people.is_empty() {
        return Ok(way);
    }
    Err(StepError::blocked(format!(
        "it cannot be merged yet: {}",
        people.join("; ")
    )))
}

fn is_open(entry: &LedgerEntry) -> bool {
    entry.status != RuleStatus::Satisfied
}

/// A check that ran and failed, rather than one that is not reported.
fn is_failed(entry: &LedgerEntry) -> bool {
    if entry.status != RuleStatus::Failing {
        return false;
    }
    let waits = entry
        .action
        .as_deref()
        .is_some_and(|action| action.starts_with("Wait"));
    !waits && !entry.evidence.contains("is not reported")
}

fn told(entry: &LedgerEntry) -> String {
    let by = entry
        .cleared_by
        .as_ref()
        .map(|by| format!(", to be cleared by {by}"));
    let text = format!(
        "{} ({}){}: {}",
        entry.requirement,
        entry.evidence,
        by.unwrap_or_default(),
        entry.action.as_deref().unwrap_or_default()
    );
    one_line(&text, 400)
}

/// Asks git itself.
async fn conflict(
    step: &AgentStep<'_>,
    workspace: &Workspace,
) -> Result<Option<(Oid, String)>, StepError> {
    let base = workspace.base_tip(step.place).await?;
    let tried = workspace.git.merge_tree("HEAD", base.as_str()).await?;
    let told = up_to_date::conflict(workspace, &tried);
    Ok((!tried.clean).then_some((base, told)))
}
