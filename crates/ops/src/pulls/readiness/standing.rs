//! What a merge has to know: whether it may be, and in which way.

use baton_protocol::tools::check_merge_readiness::RuleStatus;
use baton_protocol::{MergeRule, Oid, Repository};
use baton_remote::github::NodeId;
use baton_remote::github::enums::{MergeMethod, Mergeable};

use super::demand::Demand;
use super::{blockers, fetching, ledger};
use crate::error::OpError;
use crate::pulls::ci_check::CiCheck;
use crate::pulls::context::PullContext;

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about the pull request"
)]
pub(in crate::pulls) struct Standing {
    pub(in crate::pulls) id: NodeId,
    pub(in crate::pulls) head: Oid,
    pub(in crate::pulls) base: String,
    /// The base lets pull requests in by its queue only.
    pub(in crate::pulls) needs_queue: bool,
    /// Its position in that queue.
    pub(in crate::pulls) queued_at: Option<u64>,
    pub(in crate::pulls) has_auto_merge: bool,
    pub(in crate::pulls) is_in_native_stack: bool,
    /// CI has reported something about the head, or has begun to.
    pub(in crate::pulls) has_checks: bool,
    /// CI or the trial merge has not ended, so that the next look may show something else.
    pub(in crate::pulls) is_settling: bool,
    /// Those that the base allows, the preferred one first.
    pub(in crate::pulls) methods: Vec<MergeMethod>,
    /// What is not known to be satisfied.
    pub(in crate::pulls) blockers: Vec<Blocker>,
}

pub(in crate::pulls) struct Blocker {
    pub(in crate::pulls) text: String,
    /// The server itself refuses to merge as long as it stands.
    pub(in crate::pulls) is_enforced: bool,
    /// CI or the server may clear it, without a person.
    pub(in crate::pulls) may_pass: bool,
}

impl Standing {
    /// What stands in the way, one sentence each.
    pub(in crate::pulls) fn blocking_issues(&self) -> Vec<String> {
        let texts = self.blockers.iter().map(|blocker| blocker.text.clone());
        texts.collect()
    }
}

pub(in crate::pulls) async fn standing(
    cx: &PullContext,
    repository: &Repository,
    number: u32,
) -> Result<Standing, OpError> {
    let found = Box::pin(fetching::all(cx, repository, number)).await?;
    let (facts, rules) = (&found.facts, found.rules.as_slice());
    let entries = ledger::build(facts, rules, cx.optional_checks);
    let open = entries
        .iter()
        .filter(|entry| entry.status != RuleStatus::Satisfied);
    let blockers = open.map(|entry| Blocker {
        text: blockers::describe(entry, facts),
        is_enforced: is_enforced(entry.rule),
        may_pass: may_pass(entry.rule),
    });
    let head = Oid::parse(&facts.head).ok_or_else(|| {
        OpError::logical(
            format!("{repository}#{number} has no head that can be merged"),
            "Look at its branch.",
        )
    })?;
    Ok(Standing {
        id: NodeId::new(facts.id.clone()),
        head,
        base: facts.base.clone(),
        needs_queue: facts.queue.is_enabled
            || rules.iter().any(|rule| rule.demand == Demand::Queue),
        queued_at: facts.queue.entry.as_ref().map(|entry| entry.position),
        has_auto_merge: facts.auto_merge.is_some(),
        is_in_native_stack: found.circumstances.is_in_native_stack,
        has_checks: !facts.checks.all.is_empty() || facts.checks.runs_under_way > 0,
        is_settling: facts.mergeable == Mergeable::NotKnownYet
            || facts.checks.runs_under_way > 0
            || facts.checks.all.iter().any(CiCheck::is_unfinished),
        methods: ledger::methods(facts, rules),
        blockers: blockers.collect(),
    })
}

/// What CI reports, and what GitHub finds out in the background.
fn may_pass(rule: MergeRule) -> bool {
    match rule {
        MergeRule::Ci
        | MergeRule::RequiredCheck
        | MergeRule::RequiredWorkflow
        | MergeRule::CodeScanning
        | MergeRule::Deployment
        | MergeRule::Conflicts => true,
        MergeRule::Approvals
        | MergeRule::CodeOwners
        | MergeRule::LastPushApproval
        | MergeRule::TeamReview
        | MergeRule::Conversations
        | MergeRule::UpToDate
        | MergeRule::UnreadRules
        | MergeRule::MergeQueue
        | MergeRule::Open
        | MergeRule::Draft
        | MergeRule::Archived
        | MergeRule::Hold
        | MergeRule::Signatures
        | MergeRule::LinearHistory
        | MergeRule::MergeMethods
        | MergeRule::Update
        | MergeRule::Locked
        | MergeRule::PushRestriction
        | MergeRule::Other => false,
    }
}

/// With auto-merge the server decides. What only baton minds would not stop it,
/// and what does not go away by itself would be waited for in vain.
fn is_enforced(rule: MergeRule) -> bool {
    match rule {
        MergeRule::Approvals
        | MergeRule::CodeOwners
        | MergeRule::LastPushApproval
        | MergeRule::TeamReview
        | MergeRule::RequiredCheck
        | MergeRule::Conversations
        | MergeRule::UpToDate
        | MergeRule::RequiredWorkflow
        | MergeRule::CodeScanning
        | MergeRule::Deployment
        | MergeRule::UnreadRules
        | MergeRule::MergeQueue => true,
        MergeRule::Open
        | MergeRule::Draft
        | MergeRule::Conflicts
        | MergeRule::Archived
        | MergeRule::Hold
        | MergeRule::Ci
        | MergeRule::Signatures
        | MergeRule::LinearHistory
        | MergeRule::MergeMethods
        | MergeRule::Update
        | MergeRule::Locked
        | MergeRule::PushRestriction
        | MergeRule::Other => false,
    }
}
