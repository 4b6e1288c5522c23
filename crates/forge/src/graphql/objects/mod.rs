//! The types of GitHub's schema, each made from a row.

mod accounts;
mod app;
mod auto_merge_request;
mod bot;
mod branch_protection_rule;
mod check_annotation;
mod check_run;
mod check_step;
mod check_suite;
mod commit;
mod conversation;
mod deployment;
mod git_actor;
mod git_objects;
mod issue;
mod issue_comment;
mod label;
mod listings;
mod merge_queue;
mod milestone;
mod node;
mod organization;
mod projects;
mod pull_request;
mod pull_request_changes;
mod pull_request_reviews;
mod reaction;
mod ref_update_rule;
mod reference;
mod repository;
mod requirement;
mod review;
mod review_comment;
mod review_thread;
mod signature;
mod status;
mod team;
mod user;
mod workflow;
mod workflow_run;

pub(super) use accounts::{Actor, RepositoryOwner};
pub(super) use app::App;
pub(super) use auto_merge_request::AutoMergeRequest;
pub(super) use bot::Bot;
pub(super) use branch_protection_rule::{BranchProtectionRule, BranchProtectionRuleConnection};
pub(super) use check_run::{CheckRun, CheckRunConnection};
pub(super) use check_suite::{CheckSuite, CheckSuiteConnection};
pub(super) use commit::Commit;
pub(super) use deployment::{Deployment, DeploymentConnection};
pub(super) use git_actor::{GitActor, GitActorConnection};
pub(super) use git_objects::{Blob, GitObject, Tag, Tree};
pub(super) use issue::{Issue, IssueConnection};
pub(super) use issue_comment::{IssueComment, IssueCommentConnection, IssueComments};
pub(super) use label::{Label, LabelConnection};
pub(super) use merge_queue::{MergeQueue, MergeQueueEntry};
pub(super) use milestone::{Milestone, MilestoneConnection};
pub(super) use node::{
    Assignable, Closable, Labelable, Lockable, Minimizable, Node, Reactable, Subject,
    UniformResourceLocatable,
};
pub(super) use organization::Organization;
pub(super) use pull_request::{PullRequest, PullRequestConnection};
pub(super) use pull_request_changes::{
    PullRequestChangedFileConnection, PullRequestCommitConnection,
};
pub(super) use pull_request_reviews::{ReviewRequestConnection, SuggestedReviewer};
pub(super) use reaction::{Reaction, ReactionGroup};
pub(super) use ref_update_rule::RefUpdateRule;
pub(super) use reference::{Ref, RefConnection};
pub(super) use repository::{Repository, RepositoryConnection};
pub(super) use requirement::RequirableByPullRequest;
pub(super) use review::{PullRequestReview, PullRequestReviewConnection, PullRequestReviews};
pub(super) use review_comment::{PullRequestReviewComment, PullRequestReviewCommentConnection};
pub(super) use review_thread::{PullRequestReviewThread, PullRequestReviewThreadConnection};
pub(super) use signature::GitSignature;
pub(super) use status::{Status, StatusCheckRollup, StatusContext};
pub(super) use team::{Team, TeamConnection};
pub(super) use user::{User, UserConnection, Users};
pub(super) use workflow::Workflow;
pub(super) use workflow_run::WorkflowRun;
