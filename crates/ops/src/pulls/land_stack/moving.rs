//! What remains of a stack, brought onto what was merged.

use baton_protocol::tools::restack::{RestackInput, RestackStatus};
use baton_remote::github::questions::open_pulls::OpenPull;
use baton_remote::github::resources::pulls::PullRequestChange;

use super::chain::{Below, Chain};
use super::{LOOKS_AFTER_A_PUSH, Landing, Reason, Step};
use crate::error::{Fault, OpError};
use crate::pulls::restack;

impl Landing<'_> {
    /// Moves the rest, where the lowest one stands on what was merged. `None` when it stands right.
    pub(super) async fn put_on_what_was_merged(
        &mut self,
        chain: &Chain,
    ) -> Result<Option<Step>, OpError> {
        let lowest = chain.lowest();
        let last = self.merged_last.as_ref();
        let is_last = |merged: u32| last.is_some_and(|last| last.number == merged);
        let merged = match &chain.below {
            // What is read may be older than the merge.
            Below::Branch if last.is_some_and(|last| last.branch == lowest.base_ref_name) => {
                let message = format!(
                    "the server has not noted yet what #{} stands on",
                    lowest.number
                );
                return Ok(Some(self.refused(Reason::new(message))));
            }
            Below::Branch => None,
            Below::Merged(merged) => Some(*merged),
            Below::BranchOf {
                merged,
                into,
                is_contained: true,
            } if is_last(*merged) => return self.retarget(lowest, into).await.map(Some),
            Below::BranchOf { merged, .. } if is_last(*merged) => Some(*merged),
            Below::BranchOf { merged, into, .. } => {
                let message = self.ask_where(lowest, *merged, into);
                return Ok(Some(Step::Blocked(Reason::new(message))));
            }
        };
        let Some(merged) = merged else {
            self.merged_last = None;
            return Ok(None);
        };
        self.restack(merged, lowest).await.map(Some)
    }

    async fn restack(&mut self, merged: u32, lowest: &OpenPull) -> Result<Step, OpError> {
        // Its branch was moved back since, or nothing has come of the move.
        if !self.moved.insert(lowest.head_ref_oid.as_str().to_owned()) {
            let message = format!(
                "#{} still stands on #{merged} after a restack",
                lowest.number
            );
            return Ok(Step::Blocked(Reason::new(message)));
        }
        let repository = self.reference.repository();
        let input = RestackInput {
            base_pr: format!("{repository}#{merged}"),
            dependent_pr: format!("{repository}#{}", lowest.number),
            onto_base: None,
            cut: None,
            merge: None,
            dry_run: false,
            undo: false,
            key: None,
        };
        match Box::pin(restack::restack(self.cx, &input)).await {
            Ok(done) => {
                let moved = done.pull_requests.into_iter().map(|one| one.pr);
                self.restacked.extend(moved);
                if done.status == RestackStatus::Restacked {
                    self.merged_last = None;
                    self.looks_left = LOOKS_AFTER_A_PUSH;
                }
                Ok(Step::Again)
            }
            // It says what to decide, and how.
            Err(
                error @ OpError::Failed {
                    fault: Fault::Caller,
                    ..
                },
            ) => Ok(Step::Blocked(Reason::new(error.sentence()))),
            Err(error) => Err(error),
        }
    }

    /// Its commits stay as they were reviewed and tested.
    async fn retarget(&mut self, lowest: &OpenPull, into: &str) -> Result<Step, OpError> {
        let change = PullRequestChange {
            base: Some(into),
            ..PullRequestChange::default()
        };
        let repository = self.reference.repository();
        let github = &self.cx.github;
        github
            .update_pull_request(repository, lowest.number, &change)
            .await?;
        self.merged_last = None;
        Ok(Step::Again)
    }

    /// The branch may be a long-lived one, which was merged and goes on.
    pub(super) fn ask_where(&self, lowest: &OpenPull, merged: u32, into: &str) -> String {
        let repository = self.reference.repository();
        format!(
            "#{} goes to `{}`, which #{merged} brought to {into}: merged there, it would not reach {into}. \
             `baton pr restack {repository}#{merged} {repository}#{}` puts it on {into}; if `{}` goes on as a \
             branch of its own, merge it with merge_pull_request.",
            lowest.number, lowest.base_ref_name, lowest.number, lowest.base_ref_name
        )
    }
}
