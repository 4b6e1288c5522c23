//! Merges a stack of pull requests from the bottom up, and moves the rest onto what was merged.
//!
//! Nothing is remembered between calls: what is open, what is merged and what the lowest one stands on
//! is asked each time, so that the same call again goes on where the last one was.

mod chain;
mod moving;
mod remaining;

use std::collections::BTreeSet;

use baton_protocol::PrReference;
use baton_protocol::tools::land_stack::{
    LandStackInput, LandStackOutput, LandStatus, LandedPr, RemainingPr,
};
use baton_protocol::tools::merge_pull_request::MergeResult;
use baton_remote::github::Fact;
use baton_remote::github::questions::open_pulls::OpenPull;
use tokio::time::{Instant, sleep};

use super::context::PullContext;
use super::merge_pull_request::{self, Attempt, Request};
use super::readiness::{self, Standing};
use crate::context::Context;
use crate::error::{Fault, OpError};
use crate::operation::{self, Effects, Meta, Operation};
use chain::{Below, Chain};
use remaining::{count, remaining};

pub struct LandStack;

impl Operation for LandStack {
    const META: Meta = Meta {
        name: "land_stack",
        title: "Land a stack",
        about: "Merge a pull request and all that it stands on, from the bottom up",
        description: "Merges a pull request and everything that it stands on, the lowest first, each only when every \
            rule is known to be satisfied and in the way that its base demands. After each merge the rest is \
            restacked, with proof that every commit keeps its own patch. Waits for CI for as long as a call may \
            last; the same call again goes on where the last one was. `dry_run` says what would be merged and what \
            stands in the way.",
        input: "land_stack.input",
        output: "land_stack.output",
        effects: Effects::DESTRUCTIVE,
        may_last: operation::always,
    };
    type Input = LandStackInput;
    type Output = LandStackOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let cx = cx.pulls(&[&input.pr]).await?;
        cx.until_cancelled(land(&cx, &input)).await
    }
}

/// CI needs a moment to notice a push.
const LOOKS_AFTER_A_PUSH: u32 = 3;

/// Refusals of the server that may still pass. Each is a look after a pause.
const MAX_REFUSALS: u32 = 3;

async fn land(cx: &PullContext, input: &LandStackInput) -> Result<LandStackOutput, OpError> {
    let reference = cx.reference(&input.pr)?;
    let (repository, number) = (reference.repository(), reference.number());
    let pull = cx.github.pull_request(repository, number).await?;
    // Where that is not known, GitHub refuses the first merge if it is.
    let native = Fact::from_answer(cx.github.native_stack(repository, number).await)?;
    let mut landing = Landing {
        cx,
        input,
        reference: &reference,
        is_native: matches!(native, Fact::Known(Some(_))),
        base: pull.base.branch.clone(),
        deadline: Instant::now() + cx.call.poll.max_wait,
        looks_left: 0,
        refusals_left: MAX_REFUSALS,
        has_ci: false,
        merged_last: None,
        queued: BTreeSet::new(),
        moved: BTreeSet::new(),
        open: Vec::new(),
        landed: Vec::new(),
        restacked: Vec::new(),
    };
    if pull.is_merged() {
        return Ok(landing.answer(LandStatus::Landed, &[], "It was merged before".to_owned()));
    }
    if pull.state.as_str() != "open" {
        return Err(OpError::logical(
            format!("{repository}#{number} is closed"),
            "Open it again first, or name the one that took its place.",
        ));
    }
    if input.dry_run {
        return landing.rehearse().await;
    }
    match landing.run().await {
        // What was done is worth more than why there is no more of it.
        Err(error @ OpError::Failed { .. }) if landing.has_acted() => {
            let status = match &error {
                OpError::Failed {
                    fault: Fault::Remote,
                    ..
                } => LandStatus::Waiting,
                _ => LandStatus::Blocked,
            };
            let left = landing.open.clone();
            Ok(landing.answer(
                status,
                &remaining(&reference, &left, Vec::new()),
                error.sentence(),
            ))
        }
        done => done,
    }
}

/// What one look at the stack came to.
enum Step {
    /// Something was done; look again at once.
    Again,
    /// Someone else is at work on the lowest one.
    Wait(Reason),
    Blocked(Reason),
}

/// Why the lowest one is not merged.
struct Reason {
    message: String,
    /// What stands in the way, one sentence each.
    blocking: Vec<String>,
    /// The server refused it, and a wait may be in vain.
    is_refusal: bool,
}

impl Reason {
    fn new(message: String) -> Self {
        Self {
            message,
            blocking: Vec::new(),
            is_refusal: false,
        }
    }
}

/// A pull request of the last look.
#[derive(Clone)]
struct Open {
    number: u32,
    branch: String,
}

/// One call under way.
struct Landing<'a> {
    cx: &'a PullContext,
    input: &'a LandStackInput,
    reference: &'a PrReference,
    /// GitHub has it in a stack of its own.
    is_native: bool,
    base: String,
    deadline: Instant,
    /// How often what looks final may still be too early.
    looks_left: u32,
    refusals_left: u32,
    /// CI reported on what this call has merged.
    has_ci: bool,
    /// What this call has merged, and nothing was moved onto since.
    merged_last: Option<Open>,
    /// What this call has put into a merge queue.
    queued: BTreeSet<u32>,
    /// The heads that this call has moved.
    moved: BTreeSet<String>,
    /// What was open at the last look, the lowest first.
    open: Vec<Open>,
    landed: Vec<LandedPr>,
    restacked: Vec<String>,
}

impl Landing<'_> {
    async fn run(&mut self) -> Result<LandStackOutput, OpError> {
        loop {
            self.note_merges().await?;
            if self.has_landed() {
                let message = format!("All of it is merged into {}", self.base);
                return Ok(self.answer(LandStatus::Landed, &[], message));
            }
            let step = match self.look().await {
                // The server may have merged it while it was looked at.
                Err(_) if self.note_merges().await? > 0 => continue,
                looked => looked?,
            };
            let (status, reason) = match step {
                Step::Again => continue,
                Step::Wait(reason) if self.may_wait() => {
                    self.cx.tell(&reason.message);
                    sleep(self.cx.call.poll.interval).await;
                    continue;
                }
                Step::Wait(reason) if reason.is_refusal => (LandStatus::Blocked, reason),
                Step::Wait(reason) => (LandStatus::Waiting, reason),
                Step::Blocked(reason) => (LandStatus::Blocked, reason),
            };
            let remaining = remaining(self.reference, &self.open, reason.blocking);
            let message = match status {
                LandStatus::Waiting => format!("{}; the same call again goes on", reason.message),
                _ => reason.message,
            };
            return Ok(self.answer(status, &remaining, message));
        }
    }

    async fn look(&mut self) -> Result<Step, OpError> {
        let chain = Chain::find(self.cx, self.reference).await?;
        chain.base().clone_into(&mut self.base);
        self.open = chain.open.iter().map(Open::from).collect();
        if self.is_native {
            // GitHub merges a stack of its own as one, and moves nothing in between.
            return self.merge(self.reference.clone()).await;
        }
        if let Some(step) = self.put_on_what_was_merged(&chain).await? {
            return Ok(step);
        }
        let lowest = PrReference::new(self.reference.repository().clone(), chain.lowest().number)
            .map_err(OpError::bad_reference)?;
        if let Some(step) = self.too_early(&lowest).await? {
            return Ok(step);
        }
        self.merge(lowest).await
    }

    /// Why it is not yet time to ask for a merge.
    async fn too_early(&mut self, lowest: &PrReference) -> Result<Option<Step>, OpError> {
        let number = lowest.number();
        let is_fresh = self.has_ci && self.looks_left > 0;
        if !is_fresh && !self.queued.contains(&number) {
            return Ok(None);
        }
        let standing = readiness::standing(self.cx, lowest.repository(), number).await?;
        if is_fresh && !standing.has_checks {
            self.looks_left -= 1;
            let message = format!("CI has not begun with the new head of #{number}");
            return Ok(Some(Step::Wait(Reason::new(message))));
        }
        if self.queued.contains(&number) && standing.queued_at.is_none() {
            let message = format!("#{number} left the merge queue of its base without a merge");
            return Ok(Some(self.refused(Reason {
                is_refusal: true,
                ..Reason::new(message)
            })));
        }
        Ok(None)
    }

    async fn merge(&mut self, place: PrReference) -> Result<Step, OpError> {
        let asked = Request {
            method: self.input.method,
            ..Request::default()
        };
        let number = place.number();
        let Attempt { standing, end } = merge_pull_request::attempt(self.cx, &place, asked).await?;
        let reason = Reason {
            message: format!("#{number}: {}", end.message),
            blocking: standing.blocking_issues(),
            is_refusal: false,
        };
        self.has_ci |= standing.has_checks;
        Ok(match end.status {
            MergeResult::Merged if self.is_native => Step::Again,
            MergeResult::Merged => {
                self.note_merged(number, end.merge_commit);
                Step::Again
            }
            MergeResult::Queued | MergeResult::AutoMerge | MergeResult::Pending => {
                self.queued.insert(number);
                Step::Wait(reason)
            }
            MergeResult::Refused if end.is_final => Step::Blocked(reason),
            // The server itself refused, for instance because it was moving the branch.
            MergeResult::Refused if standing.blockers.is_empty() => self.refused(Reason {
                is_refusal: true,
                ..reason
            }),
            MergeResult::Refused => self.not_ready(&standing, reason),
        })
    }

    /// Waits some times for a refusal to pass.
    fn refused(&mut self, reason: Reason) -> Step {
        if self.refusals_left == 0 {
            return Step::Blocked(reason);
        }
        self.refusals_left -= 1;
        Step::Wait(reason)
    }

    fn not_ready(&mut self, standing: &Standing, reason: Reason) -> Step {
        let may_pass = standing.blockers.iter().all(|blocker| blocker.may_pass);
        if may_pass && (standing.is_settling || self.looks_left > 0) {
            self.looks_left = self.looks_left.saturating_sub(1);
            return Step::Wait(reason);
        }
        Step::Blocked(reason)
    }

    /// Notes what is merged by now, from the lowest on. How many these are.
    async fn note_merges(&mut self) -> Result<usize, OpError> {
        let repository = self.reference.repository();
        let open = self.open.clone();
        let count = open.len();
        for (noted, one) in open.into_iter().enumerate() {
            let pull = self.cx.github.pull_request(repository, one.number).await?;
            if !pull.is_merged() {
                return Ok(noted);
            }
            let commit = pull.merge_commit_sha;
            self.note_merged(one.number, commit.map(|commit| commit.as_str().to_owned()));
        }
        Ok(count)
    }

    fn has_landed(&self) -> bool {
        let last = self.merged_last.as_ref();
        last.is_some_and(|last| last.number == self.reference.number())
    }

    fn has_acted(&self) -> bool {
        !self.landed.is_empty() || !self.restacked.is_empty()
    }

    fn note_merged(&mut self, number: u32, merge_commit: Option<String>) {
        self.merged_last = self.open.iter().find(|open| open.number == number).cloned();
        self.open.retain(|open| open.number != number);
        self.landed.push(LandedPr {
            pr: format!("{}#{number}", self.reference.repository()),
            merge_commit,
        });
        self.looks_left = LOOKS_AFTER_A_PUSH;
    }

    fn may_wait(&self) -> bool {
        Instant::now() + self.cx.call.poll.interval < self.deadline
    }

    /// What would be merged, and what stands in the way of each as it stands.
    async fn rehearse(&mut self) -> Result<LandStackOutput, OpError> {
        let chain = Chain::find(self.cx, self.reference).await?;
        chain.base().clone_into(&mut self.base);
        let open: Vec<Open> = chain.open.iter().map(Open::from).collect();
        let mut would_land = remaining(self.reference, &open, Vec::new());
        for (pull, shown) in chain.open.iter().zip(&mut would_land) {
            let repository = self.reference.repository();
            let standing = readiness::standing(self.cx, repository, pull.number).await?;
            shown.blocking_issues = standing.blocking_issues();
        }
        let message = match &chain.below {
            Below::Branch => format!("{} would be merged into {}", count(open.len()), self.base),
            Below::Merged(merged) => format!(
                "{} would be merged into {}, after a restack: #{merged} was merged below",
                count(open.len()),
                self.base
            ),
            Below::BranchOf { merged, into, .. } => self.ask_where(chain.lowest(), *merged, into),
        };
        Ok(self.answer(LandStatus::Rehearsed, &would_land, message))
    }

    fn answer(
        &mut self,
        status: LandStatus,
        remaining: &[RemainingPr],
        message: String,
    ) -> LandStackOutput {
        LandStackOutput {
            pr: self.reference.to_string(),
            status,
            base: self.base.clone(),
            landed: std::mem::take(&mut self.landed),
            restacked: std::mem::take(&mut self.restacked),
            remaining: remaining.to_vec(),
            message,
        }
    }
}

impl From<&OpenPull> for Open {
    fn from(pull: &OpenPull) -> Self {
        Self {
            number: pull.number,
            branch: pull.head_ref_name.clone(),
        }
    }
}
