//! Merges a stack of pull requests from the bottom up, and moves the rest onto what was merged.
//!
//! Nothing is remembered between calls: what is open, what is merged and what the lowest one stands on
//! is asked each time, so that the same call again goes on where the last one was.

mod chain;
mod remaining;

use baton_protocol::PrReference;
use baton_protocol::tools::land_stack::{
    LandStackInput, LandStackOutput, LandStatus, LandedPr, RemainingPr,
};
use baton_protocol::tools::merge_pull_request::MergeResult;
use baton_protocol::tools::restack::{RestackInput, RestackStatus};
use baton_remote::github::Fact;
use baton_remote::github::questions::open_pulls::OpenPull;
use baton_remote::github::resources::pulls::PullRequestChange;
use tokio::time::{Instant, sleep};

use super::context::PullContext;
use super::merge_pull_request::{self, Attempt, Request};
use super::readiness::{self, Standing};
use super::restack;
use crate::context::Context;
use crate::error::{Fault, OpError};
use crate::operation::{self, Effects, Meta, Operation};
use chain::{Below, Chain};
use remaining::{count, remaining, remaining_pr};

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

/// Each is a look after a pause.
const MAX_REFUSALS: u32 = 5;

async fn land(cx: &PullContext, input: &LandStackInput) -> Result<LandStackOutput, OpError> {
    let reference = cx.reference(&input.pr)?;
    let (repository, number) = (reference.repository(), reference.number());
    let pull = cx.github.pull_request(repository, number).await?;
    let mut landing = Landing {
        cx,
        input,
        reference: &reference,
        base: pull.base.branch.clone(),
        deadline: Instant::now() + cx.call.poll.max_wait,
        looks_left: 0,
        refusals_left: MAX_REFUSALS,
        merged_last: None,
        open: vec![number],
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
    // Where that is not known, GitHub refuses the first merge if it is.
    let native = Fact::from_answer(cx.github.native_stack(repository, number).await)?;
    let is_native = matches!(native, Fact::Known(Some(_)));
    loop {
        landing.note_merges().await?;
        if landing.has_landed() {
            let message = format!("All of it is merged into {}", landing.base);
            return Ok(landing.answer(LandStatus::Landed, &[], message));
        }
        let (open, step) = match landing.look(is_native).await {
            // The server may have merged it while it was looked at.
            Err(_) if landing.note_merges().await? > 0 => continue,
            looked => looked?,
        };
        let lowest = open[0].number;
        let (status, message, blocking) = match step {
            Step::Again => continue,
            Step::Wait(_) if landing.may_wait() => {
                cx.tell(&format!("waiting for #{lowest}"));
                sleep(cx.call.poll.interval).await;
                continue;
            }
            Step::Wait(blocking) => {
                let message = format!("#{lowest} is not merged yet; the same call again goes on");
                (LandStatus::Waiting, message, blocking)
            }
            Step::Blocked { message, blocking } => (LandStatus::Blocked, message, blocking),
        };
        let remaining = remaining(&reference, &open, blocking);
        return Ok(landing.answer(status, &remaining, message));
    }
}

/// What one look at the stack came to.
enum Step {
    /// Something was done; look again at once.
    Again,
    /// Someone else is at work on the lowest one. With what stands in the way until then.
    Wait(Vec<String>),
    Blocked {
        message: String,
        blocking: Vec<String>,
    },
}

/// One call under way.
struct Landing<'a> {
    cx: &'a PullContext,
    input: &'a LandStackInput,
    reference: &'a PrReference,
    base: String,
    deadline: Instant,
    /// How often what looks final may still be too early.
    looks_left: u32,
    /// How many refusals of the server may still pass.
    refusals_left: u32,
    /// What this call has merged, and nothing was moved onto since.
    merged_last: Option<u32>,
    /// What was open at the last look, the lowest first.
    open: Vec<u32>,
    landed: Vec<LandedPr>,
    restacked: Vec<String>,
}

impl Landing<'_> {
    /// What is open, the lowest first, and what one step came to.
    async fn look(&mut self, is_native: bool) -> Result<(Vec<OpenPull>, Step), OpError> {
        let chain = Chain::find(self.cx, self.reference).await?;
        chain.base().clone_into(&mut self.base);
        self.open = chain.open.iter().map(|pull| pull.number).collect();
        let step = if is_native {
            self.step_of_native(&chain).await?
        } else {
            self.step(&chain).await?
        };
        Ok((chain.open, step))
    }

    async fn step(&mut self, chain: &Chain) -> Result<Step, OpError> {
        if let Some(step) = self.put_on_what_was_merged(chain).await? {
            return Ok(step);
        }
        let place = PrReference::new(self.reference.repository().clone(), chain.lowest().number)
            .map_err(OpError::bad_reference)?;
        let asked = Request {
            method: self.input.method,
            ..Request::default()
        };
        let Attempt { standing, end } = merge_pull_request::attempt(self.cx, &place, asked).await?;
        Ok(match end.status {
            MergeResult::Merged => {
                self.note_merged(place.number(), end.merge_commit);
                Step::Again
            }
            MergeResult::Queued | MergeResult::AutoMerge | MergeResult::Pending => {
                Step::Wait(standing.blocking_issues())
            }
            MergeResult::Refused => self.refused(place.number(), &end.message, &standing),
        })
    }

    /// GitHub merges a stack of its own as one, and moves nothing in between.
    async fn step_of_native(&mut self, chain: &Chain) -> Result<Step, OpError> {
        let number = self.reference.number();
        let asked = Request {
            method: self.input.method,
            ..Request::default()
        };
        let Attempt { standing, end } =
            merge_pull_request::attempt(self.cx, self.reference, asked).await?;
        Ok(match end.status {
            MergeResult::Merged => {
                for pull in &chain.open {
                    let commit = end.merge_commit.clone();
                    self.note_merged(pull.number, commit.filter(|_| pull.number == number));
                }
                Step::Again
            }
            MergeResult::Queued | MergeResult::AutoMerge | MergeResult::Pending => {
                Step::Wait(standing.blocking_issues())
            }
            MergeResult::Refused => self.refused(number, &end.message, &standing),
        })
    }

    fn refused(&mut self, number: u32, message: &str, standing: &Standing) -> Step {
        let blocking = standing.blocking_issues();
        // The server itself refused, for instance because it was moving the branch.
        if blocking.is_empty() && self.refusals_left > 0 {
            self.refusals_left -= 1;
            return Step::Wait(blocking);
        }
        let may_pass = standing.blockers.iter().all(|blocker| blocker.may_pass);
        if may_pass && (standing.is_settling || self.looks_left > 0) {
            self.looks_left = self.looks_left.saturating_sub(1);
            return Step::Wait(blocking);
        }
        Step::Blocked {
            message: format!("#{number}: {message}"),
            blocking,
        }
    }

    /// Moves the rest, where the lowest one stands on what was merged. `None` when it stands right.
    async fn put_on_what_was_merged(&mut self, chain: &Chain) -> Result<Option<Step>, OpError> {
        let merged = match &chain.below {
            Below::Branch => None,
            Below::Merged(merged) => Some(*merged),
            Below::BranchOf {
                merged,
                into,
                is_contained: true,
            } if self.merged_last == Some(*merged) => {
                return self.retarget(chain.lowest(), into).await.map(Some);
            }
            Below::BranchOf { merged, .. } if self.merged_last == Some(*merged) => Some(*merged),
            Below::BranchOf { merged, into, .. } => {
                return Ok(Some(self.ask_where(chain.lowest(), *merged, into)));
            }
        };
        self.merged_last = None;
        let Some(merged) = merged else {
            return Ok(None);
        };
        let repository = self.reference.repository();
        let input = RestackInput {
            base_pr: format!("{repository}#{merged}"),
            dependent_pr: format!("{repository}#{}", chain.lowest().number),
            onto_base: None,
            cut: None,
            merge: None,
            dry_run: false,
            undo: false,
            key: None,
        };
        match Box::pin(restack::restack(self.cx, &input)).await {
            Ok(done) if done.status == RestackStatus::Restacked => {
                let moved = done.pull_requests.into_iter().map(|one| one.pr);
                self.restacked.extend(moved);
                self.looks_left = LOOKS_AFTER_A_PUSH;
                Ok(Some(Step::Again))
            }
            Ok(_) => Ok(None),
            // It says what to decide, and how.
            Err(
                error @ OpError::Failed {
                    fault: Fault::Caller,
                    ..
                },
            ) => Ok(Some(Step::Blocked {
                message: error.sentence(),
                blocking: Vec::new(),
            })),
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
    fn ask_where(&self, lowest: &OpenPull, merged: u32, into: &str) -> Step {
        let repository = self.reference.repository();
        Step::Blocked {
            message: format!(
                "#{} goes to `{}`, which #{merged} brought to {into}: merged there, it would not reach {into}. \
                 `baton pr restack {repository}#{merged} {repository}#{}` puts it on {into}; if `{}` goes on as a \
                 branch of its own, merge it with merge_pull_request.",
                lowest.number, lowest.base_ref_name, lowest.number, lowest.base_ref_name
            ),
            blocking: Vec::new(),
        }
    }

    /// Notes what is merged by now, from the lowest on. How many these are.
    async fn note_merges(&mut self) -> Result<usize, OpError> {
        let repository = self.reference.repository();
        let open = self.open.clone();
        let count = open.len();
        for (noted, number) in open.into_iter().enumerate() {
            let pull = self.cx.github.pull_request(repository, number).await?;
            if !pull.is_merged() {
                return Ok(noted);
            }
            let commit = pull.merge_commit_sha;
            self.note_merged(number, commit.map(|commit| commit.as_str().to_owned()));
        }
        Ok(count)
    }

    fn has_landed(&self) -> bool {
        self.merged_last == Some(self.reference.number())
    }

    fn note_merged(&mut self, number: u32, merge_commit: Option<String>) {
        self.open.retain(|open| *open != number);
        self.landed.push(LandedPr {
            pr: format!("{}#{number}", self.reference.repository()),
            merge_commit,
        });
        self.merged_last = Some(number);
        self.looks_left = LOOKS_AFTER_A_PUSH;
    }

    fn may_wait(&self) -> bool {
        Instant::now() + self.cx.call.poll.interval < self.deadline
    }

    /// What would be merged, and what stands in the way of each as it stands.
    async fn rehearse(&mut self) -> Result<LandStackOutput, OpError> {
        let chain = Chain::find(self.cx, self.reference).await?;
        chain.base().clone_into(&mut self.base);
        let mut would_land = Vec::new();
        for pull in &chain.open {
            let repository = self.reference.repository();
            let standing = readiness::standing(self.cx, repository, pull.number).await?;
            would_land.push(RemainingPr {
                blocking_issues: standing.blocking_issues(),
                ..remaining_pr(self.reference, pull)
            });
        }
        let message = match &chain.below {
            Below::Branch => format!("{} would be merged into {}", count(&chain.open), self.base),
            Below::Merged(merged) => format!(
                "{} would be merged into {}, after a restack: #{merged} was merged below them",
                count(&chain.open),
                self.base
            ),
            Below::BranchOf { merged, into, .. } => {
                match self.ask_where(chain.lowest(), *merged, into) {
                    Step::Blocked { message, .. } => message,
                    _ => String::new(),
                }
            }
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
