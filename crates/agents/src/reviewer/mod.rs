//! reviewer-agent: the review engine over what the branch changes, then a
//! coding agent that only reads, if there is one; one review on the pull
//! request with a thread for each finding. What people ask for there counts
//! like a finding.

mod anchor;
mod claims;
mod post;
mod reading;

use baton_engine::StepResult;
use baton_host::git::{FileDiff, Oid};
use baton_protocol::handoff::{
    Approved, ApprovedReview, ChangesRequested, Handoff, RejectedReview, Severity,
};
use baton_workflow::{FINGERPRINTS, Report, Usage};
use serde_json::{Value, json};

pub(crate) use post::open_threads;

use crate::AgentStep;
use crate::handoffs;
use crate::lockdown;
use crate::people;
use crate::pull::{Pull, moment};
use crate::review_comment::ReviewComment;
use crate::step_error::{self, StepError};
use crate::workspace::{Workspace, element};

/// The commit that a review was about, in its handoff.
pub(crate) const REVIEWED_COMMIT: &str = "reviewed_commit";

/// The gravest are told one by one; the counts have them all.
const MAX_ISSUES: usize = 100;

/// What the step keeps of its findings, before anyone is told of them.
const NOTE: &str = "review";

pub(crate) async fn run(step: &AgentStep<'_>) -> StepResult {
    let mut usage = Usage::default();
    let outcome = review(step, &mut usage).await;
    step_error::result(outcome, usage)
}

/// What a review came to.
struct Review {
    head: Oid,
    /// The gravest first.
    comments: Vec<ReviewComment>,
    /// What was not looked at, and what was not believed.
    notes: Vec<String>,
}

/// What the branch changes.
struct Change {
    fork: Oid,
    head: Oid,
    /// With the lines that a forge shows around each change.
    diff: Vec<FileDiff>,
}

async fn review(step: &AgentStep<'_>, usage: &mut Usage) -> Result<Report, StepError> {
    let pull = Pull::open(step).await?;
    if pull.is_merged() {
        let gone = Review::new(pull.now.head.sha.clone(), Vec::new(), Vec::new());
        let words = "It was merged meanwhile; nothing is left to review";
        return handoffs::pass(approved(step, &pull, &gone, words)?);
    }
    pull.require_open()?;
    let workspace = Workspace::open(step).await?;
    let head = pull.bring_here(&workspace, step).await?;
    if step.goal().pull_request.is_some() {
        return hear(step, &pull, head).await;
    }
    check_claims(step, &workspace).await?;
    let fork = workspace.fork_point(step.place).await?;
    let diff = workspace
        .git
        .diff(fork.as_str(), head.as_str(), anchor::SHOWN)
        .await?;
    let change = Change { fork, head, diff };
    let posted = post::find(step, &pull).await?;
    let review = match Review::recall(step).await? {
        // Once it is on the pull request, it is about what it was about.
        Some(kept) if posted.is_some() || kept.head == change.head => kept,
        _ => {
            let mut review = reading::read(step, &workspace, &change, usage).await?;
            review.hear_people(step, &pull).await?;
            review.keep(step).await?;
            review
        }
    };
    post::settle(step, &pull, &review, &change, posted).await?;
    let counts = review.counts();
    step.context
        .say(&format!("reviewed {}: {counts}", review.head.short()));
    handoffs::pass(if review.is_blocking() {
        changes_requested(&pull, &review)?
    } else {
        let words = format!("Code review of {} passed: {counts}", review.head.short());
        approved(step, &pull, &review, &words)?
    })
}

/// Of someone else's pull request, what people ask for there is all that counts: whether it is
/// good is for them to say.
async fn hear(step: &AgentStep<'_>, pull: &Pull, head: Oid) -> Result<Report, StepError> {
    let mut review = Review::new(head, Vec::new(), Vec::new());
    review.hear_people(step, pull).await?;
    for note in &review.notes {
        step.context.say(note);
    }
    if !review.is_blocking() {
        step.context.say("no one asks for a change");
        return Ok(Report::Done);
    }
    handoffs::pass(changes_requested(pull, &review)?)
}

/// The commits that were handed over have to be in what is reviewed.
async fn check_claims(step: &AgentStep<'_>, workspace: &Workspace) -> Result<(), StepError> {
    let Some(last) = step.call.state.passed().last() else {
        return Ok(());
    };
    let Handoff::Implemented(handed) = &*last.handoff else {
        return Ok(());
    };
    for commit in handed.commits.iter().flatten() {
        let sha = commit.sha.as_str();
        let found = workspace.git.find_commit(sha).await?;
        let is_there = match found {
            Some(found) => workspace.git.is_ancestor(found.as_str(), "HEAD").await?,
            None => false,
        };
        if !is_there {
            return Err(StepError::rejected(format!(
                "the commit {sha} was handed over and is not in {}",
                workspace.branch
            )));
        }
    }
    Ok(())
}

impl Review {
    fn new(head: Oid, mut comments: Vec<ReviewComment>, notes: Vec<String>) -> Self {
        let grave = |severity: Severity| Severity::ALL.iter().position(|one| *one == severity);
        comments.sort_by_key(|comment| grave(comment.severity));
        Self {
            head,
            comments,
            notes,
        }
    }

    /// Adds what people ask for on the pull request.
    async fn hear_people(&mut self, step: &AgentStep<'_>, pull: &Pull) -> Result<(), StepError> {
        let discussion = lockdown::review_discussion(step, pull.number).await?;
        let asked = people::asked(step, &discussion);
        let mut comments = std::mem::take(&mut self.comments);
        comments.extend(asked.comments);
        let mut notes = asked.notes;
        notes.append(&mut self.notes);
        *self = Self::new(self.head.clone(), comments, notes);
        Ok(())
    }

    async fn recall(step: &AgentStep<'_>) -> Result<Option<Self>, StepError> {
        let Some(kept) = step.context.recall(NOTE).await? else {
            return Ok(None);
        };
        let kept: Value = serde_json::from_slice(&kept).unwrap_or_default();
        let list = |name: &str| kept[name].as_array().cloned().unwrap_or_default();
        let comments: Option<Vec<_>> = list("comments")
            .iter()
            .map(ReviewComment::from_json)
            .collect();
        let notes = list("notes")
            .iter()
            .filter_map(|note| Some(note.as_str()?.to_owned()))
            .collect();
        Ok(kept["head"]
            .as_str()
            .and_then(Oid::parse)
            .zip(comments)
            .map(|(head, comments)| Self::new(head, comments, notes)))
    }

    async fn keep(&self, step: &AgentStep<'_>) -> Result<(), StepError> {
        let comments: Vec<Value> = self.comments.iter().map(ReviewComment::to_json).collect();
        let note = json!({ "head": self.head.as_str(), "comments": comments, "notes": self.notes });
        Ok(step.context.remember(NOTE, note.to_string()).await?)
    }

    fn count(&self, severity: Severity) -> u64 {
        let comments = self.comments.iter();
        comments
            .filter(|comment| comment.severity == severity)
            .map(|_| 1)
            .sum()
    }

    fn is_blocking(&self) -> bool {
        self.comments.iter().any(ReviewComment::is_blocking)
    }

    /// `1 critical, 2 important, 0 suggestions`
    fn counts(&self) -> String {
        format!(
            "{} critical, {} important, {} suggestions",
            self.count(Severity::Critical),
            self.count(Severity::Important),
            self.count(Severity::Suggestion)
        )
    }
}

fn changes_requested(pull: &Pull, review: &Review) -> Result<Handoff, StepError> {
    let blocking = review
        .comments
        .iter()
        .filter(|comment| comment.is_blocking());
    let blocking: Vec<&ReviewComment> = blocking.take(MAX_ISSUES).collect();
    let fingerprints: Vec<&str> = blocking
        .iter()
        .map(|one| one.fingerprint.as_str())
        .collect();
    Ok(Handoff::ChangesRequested(ChangesRequested {
        timestamp: Some(moment()),
        pr_url: pull.url()?,
        pr_number: pull.number(),
        issue_url: None,
        issue_number: pull.issue,
        review_status: RejectedReview::ChangesRequested.into(),
        critical_count: review.count(Severity::Critical),
        important_count: review.count(Severity::Important),
        suggestion_count: Some(review.count(Severity::Suggestion)),
        status: None,
        summary: Some(format!("Changes requested: {}", review.counts())),
        blocking_issues: blocking.iter().map(|comment| comment.issue()).collect(),
        other: vec![
            element(REVIEWED_COMMIT, review.head.as_str()),
            element(FINGERPRINTS, &fingerprints.join(" ")),
        ],
    }))
}

fn approved(
    step: &AgentStep<'_>,
    pull: &Pull,
    review: &Review,
    words: &str,
) -> Result<Handoff, StepError> {
    let mut other = vec![element(REVIEWED_COMMIT, review.head.as_str())];
    other.extend(step.accepted_elements());
    Ok(Handoff::Approved(Approved {
        timestamp: Some(moment()),
        pr_url: pull.url()?,
        pr_number: pull.number(),
        issue_url: None,
        issue_number: pull.issue,
        review_status: ApprovedReview::Approved.into(),
        critical_count: 0,
        important_count: 0,
        suggestion_count: Some(review.count(Severity::Suggestion)),
        status: None,
        summary: Some(words.to_owned()),
        other,
    }))
}
