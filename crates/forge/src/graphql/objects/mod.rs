//! The types of GitHub's schema that are more than facts, each made from a row.

mod accounts;
mod checks;
mod commit;
mod deployments;
mod force_pushes;
mod issue;
mod listings;
mod merge_queue;
mod pull_request;
mod reference;
mod repository;
mod reviews;
mod rules;
mod search;

pub(super) use accounts::{Account, account};
pub(super) use checks::{CheckSuite, Report, Workflow, WorkflowRun, app};
pub(super) use commit::git_object;
pub(super) use force_pushes::ForcePush;
pub(super) use issue::{Issue, IssueComment, Label};
pub(super) use merge_queue::MergeQueue;
pub(super) use pull_request::PullRequest;
pub(super) use reference::Ref;
pub(super) use repository::{Repo, visible};
pub(super) use reviews::{Review, ReviewComment, Thread};
pub(super) use rules::BranchProtectionRule;
pub(super) use search::search;
