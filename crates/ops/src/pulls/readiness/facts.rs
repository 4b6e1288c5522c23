//! What is known about a pull request and the branch that it goes to, in plain
//! values: all that the ledger is made from.

use baton_protocol::Repository;
use baton_protocol::code_owners::CodeOwners;
use baton_remote::github::enums::{
    DeploymentState, MergeMethod, MergeState, Mergeable, ReviewDecision,
};
use baton_remote::github::{Fact, Listed, Unreadable};

use super::super::ci_check::CiCheck;
use super::workflows::Workflow;

#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about the pull request"
)]
pub(super) struct Facts {
    /// `https://github.com`: what commands name their host by.
    pub(super) web_url: String,
    pub(super) repository: Repository,
    /// As GraphQL names it.
    pub(super) id: String,
    pub(super) number: u32,
    pub(super) title: String,
    pub(super) labels: Fact<Vec<String>>,
    pub(super) author: Option<String>,
    pub(super) is_open: bool,
    pub(super) is_draft: bool,
    pub(super) is_from_fork: bool,
    /// The branch whose rules count.
    pub(super) base: String,
    pub(super) base_exists: Fact<bool>,
    pub(super) head_branch: String,
    /// A full commit id.
    pub(super) head: String,
    pub(super) head_message: String,
    /// Accounts of those who wrote and committed the head.
    pub(super) head_people: Fact<Vec<String>>,
    pub(super) is_archived: bool,
    /// The ways of merging that the repository allows.
    pub(super) methods: Vec<MergeMethod>,
    pub(super) auto_merge: Option<MergeMethod>,
    pub(super) mergeable: Mergeable,
    pub(super) state: MergeState,
    pub(super) decision: Fact<Option<ReviewDecision>>,
    /// How many commits of the base the head lacks.
    pub(super) behind_by: Fact<u64>,
    pub(super) queue: Queue,
    pub(super) reviews: Listed<Review>,
    pub(super) requested: Vec<Requested>,
    pub(super) threads: Listed<Thread>,
    pub(super) commits: Listed<Commit>,
    pub(super) deployments: Listed<Deployment>,
    pub(super) checks: Checks,
    /// What the repository's own files say, where it was asked for.
    pub(super) files: Option<Files>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    pub(super) is_enabled: bool,
    pub(super) entry: Option<QueueEntry>,
}

#[derive(Clone, Debug)]
pub(super) struct QueueEntry {
    pub(super) position: u64,
    /// The forge's word.
    pub(super) state: String,
    pub(super) is_unmergeable: bool,
}

/// A reviewer's latest yes or no.
#[derive(Clone, Debug)]
pub(super) struct Review {
    pub(super) author: String,
    pub(super) verdict: Verdict,
    /// Only then it counts.
    pub(super) may_push: bool,
    /// The commit that was looked at.
    pub(super) commit: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Approved,
    ChangesRequested,
}

/// A user or a team who was asked for a review and has not given it.
#[derive(Clone, Debug)]
pub(super) struct Requested {
    pub(super) name: String,
    pub(super) as_code_owner: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub(super) is_resolved: bool,
    /// `src/main.rs:7`
    pub(super) place: String,
}

#[derive(Clone, Debug)]
pub(super) struct Commit {
    pub(super) id: String,
    /// `None`: not signed. Otherwise whether the forge trusts it, and its word.
    pub(super) signature: Option<(bool, String)>,
}

#[derive(Clone, Debug)]
pub(super) struct Deployment {
    pub(super) environment: String,
    pub(super) state: Option<DeploymentState>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Checks {
    /// In the order of their names.
    pub(super) all: Vec<CiCheck>,
    /// There are more than were read.
    pub(super) truncated: bool,
    /// Why those that were read cannot prove that all passed.
    pub(super) doubts: Vec<Unreadable>,
    /// Runs of workflows that a maintainer has to allow first.
    pub(super) to_approve: Vec<u64>,
    /// Runs of workflows that have not ended, so that more may be reported.
    pub(super) runs_under_way: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    /// `None`: they could not be read.
    pub(super) workflows: Option<Vec<Workflow>>,
    pub(super) code_owners: Option<CodeOwners>,
    /// That the pull request changes.
    pub(super) paths: Listed<String>,
}

impl Checks {
    /// Nothing reports anything, which is known for sure.
    pub(super) fn are_none(&self) -> bool {
        self.all.is_empty() && self.doubts.is_empty() && !self.is_under_way()
    }

    pub(super) fn is_under_way(&self) -> bool {
        self.runs_under_way > 0 || self.all.iter().any(CiCheck::is_unfinished)
    }
}

impl Facts {
    /// The forge itself says that nothing is missing in the reviews.
    pub(super) fn is_approved(&self) -> bool {
        self.decision == Fact::Known(Some(ReviewDecision::Approved))
    }

    /// The reviews of those whose word counts. Authors do not judge their own work.
    pub(super) fn counted_reviews(&self) -> impl Iterator<Item = &Review> {
        self.reviews
            .items
            .iter()
            .filter(|review| review.may_push && Some(&review.author) != self.author.as_ref())
    }

    pub(super) fn approvals(&self) -> impl Iterator<Item = &Review> {
        self.counted_reviews()
            .filter(|review| review.verdict == Verdict::Approved)
    }
}
