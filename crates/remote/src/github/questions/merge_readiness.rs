//! Whether a pull request could be merged now, according to GitHub itself.
//!
//! Together with [`branch_rules`](GitHub::branch_rules) and
//! [`pull_request_checks`](GitHub::pull_request_checks) this is all that a ledger
//! of blockers needs.

use baton_protocol::Oid;
use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::enums::{
    AuthorAssociation, DeploymentState, MergeMethod, MergeState, Mergeable, Permission, PullState,
    QueueEntryState, ReviewDecision, ReviewState,
};
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::fact::{Fact, Unreadable};
use crate::github::graphql::{Answer, Connection, InRepository, OnePull, Parts};
use crate::github::resources::checks::App;
use crate::github::values::{Account, Listed, NodeId, null_as_default};

#[derive(Clone, Debug)]
pub struct MergeReadiness {
    pub repository: RepositorySettings,
    pub pull: PullReadiness,
    /// The latest approval or request for changes of each reviewer.
    pub reviews: Listed<OpinionatedReview>,
    pub review_requests: Listed<ReviewRequest>,
    pub threads: Listed<ThreadState>,
    /// The commits of the pull request, with their signatures.
    pub commits: Listed<SignedCommit>,
    /// Deployments of the head.
    pub deployments: Listed<Deployment>,
    pub labels: Fact<Vec<String>>,
    pub head: Fact<HeadFacts>,
    /// `None` when no review is required.
    pub review_decision: Fact<Option<ReviewDecision>>,
    /// `None` when the base branch is gone.
    pub base_ref: Fact<Option<BaseRef>>,
    /// Why the classic protection is hidden, where GitHub reports it.
    pub protection_unreadable: Option<Unreadable>,
    /// Why what is shown of the classic protection is not all of it.
    pub protection_gap: Option<Unreadable>,
    /// Other parts that could not be read and that a merge may depend on.
    pub doubts: Vec<Unreadable>,
    /// All parts that could not be read.
    pub unreadable: Vec<Unreadable>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "GitHub's own shape; each flag is a setting of its own"
)]
pub struct RepositorySettings {
    pub is_archived: bool,
    /// What the token's owner may do; absent for those without a role there.
    pub viewer_permission: Option<Permission>,
    pub merge_commit_allowed: bool,
    pub squash_merge_allowed: bool,
    pub rebase_merge_allowed: bool,
    #[serde(default)]
    pub delete_branch_on_merge: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "GitHub's own shape; each flag is a fact of its own"
)]
pub struct PullReadiness {
    pub id: NodeId,
    pub number: u32,
    pub title: String,
    #[serde(default)]
    pub url: String,
    pub state: PullState,
    pub is_draft: bool,
    #[serde(default)]
    pub locked: bool,
    #[serde(default)]
    pub merged: bool,
    pub mergeable: Mergeable,
    pub merge_state_status: MergeState,
    review_decision: Option<ReviewDecision>,
    pub author: Option<Account>,
    pub base_ref_name: String,
    pub base_ref_oid: Oid,
    pub head_ref_name: String,
    pub head_ref_oid: Oid,
    pub is_cross_repository: bool,
    #[serde(default)]
    pub maintainer_can_modify: bool,
    #[serde(default)]
    pub viewer_can_merge_as_admin: bool,
    #[serde(default)]
    pub viewer_can_update_branch: bool,
    #[serde(default)]
    pub is_merge_queue_enabled: bool,
    #[serde(default)]
    pub is_in_merge_queue: bool,
    pub merge_queue_entry: Option<QueueEntry>,
    pub auto_merge_request: Option<AutoMerge>,
    base_ref: Option<BaseRef>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueEntry {
    pub position: u64,
    pub state: QueueEntryState,
    pub enqueued_at: Option<Timestamp>,
    /// In seconds.
    pub estimated_time_to_merge: Option<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AutoMerge {
    pub enabled_at: Option<Timestamp>,
    pub merge_method: MergeMethod,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BaseRef {
    /// All of the classic protection. Only administrators see it.
    pub branch_protection_rule: Option<ClassicProtection>,
    /// The part of it that all readers see.
    pub ref_update_rule: Option<VisibleProtection>,
    #[serde(default, deserialize_with = "null_as_default")]
    associated_pull_requests: Connection<PullOfBranch>,
}

impl BaseRef {
    /// The open pull requests that come from this branch of the repository; the
    /// requested one is stacked on them.
    pub fn pulls_from_here(&self) -> Vec<u32> {
        let own = self.associated_pull_requests.items();
        own.filter(|pull| !pull.is_cross_repository)
            .map(|pull| pull.number)
            .collect()
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PullOfBranch {
    number: u32,
    is_cross_repository: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "GitHub's own shape; each flag is a rule of its own"
)]
pub struct ClassicProtection {
    pub pattern: String,
    pub requires_approving_reviews: bool,
    pub required_approving_review_count: Option<u32>,
    #[serde(default)]
    pub requires_code_owner_reviews: bool,
    #[serde(default)]
    pub require_last_push_approval: bool,
    #[serde(default)]
    pub dismisses_stale_reviews: bool,
    pub requires_status_checks: bool,
    pub requires_strict_status_checks: bool,
    #[serde(default, deserialize_with = "null_as_default")]
    pub required_status_checks: Vec<RequiredContext>,
    #[serde(default)]
    pub requires_conversation_resolution: bool,
    #[serde(default)]
    pub requires_commit_signatures: bool,
    #[serde(default)]
    pub requires_linear_history: bool,
    #[serde(default)]
    pub requires_deployments: bool,
    #[serde(default, deserialize_with = "null_as_default")]
    pub required_deployment_environments: Vec<Option<String>>,
    #[serde(default)]
    pub lock_branch: bool,
    #[serde(default)]
    pub is_admin_enforced: bool,
    #[serde(default)]
    pub restricts_pushes: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub struct RequiredContext {
    pub context: String,
    /// The app that must report it; any when absent.
    pub app: Option<App>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "GitHub's own shape; each flag is a rule of its own"
)]
pub struct VisibleProtection {
    pub pattern: String,
    pub required_approving_review_count: Option<u32>,
    #[serde(default, deserialize_with = "null_as_default")]
    pub required_status_check_contexts: Vec<Option<String>>,
    #[serde(default)]
    pub requires_code_owner_reviews: bool,
    #[serde(default)]
    pub requires_conversation_resolution: bool,
    #[serde(default)]
    pub requires_linear_history: bool,
    #[serde(default)]
    pub requires_signatures: bool,
    #[serde(default)]
    pub viewer_can_push: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpinionatedReview {
    pub state: ReviewState,
    pub author: Option<Account>,
    pub author_association: AuthorAssociation,
    /// Only the reviews of those who may push count.
    #[serde(default)]
    pub author_can_push_to_repository: bool,
    pub submitted_at: Option<Timestamp>,
    pub url: String,
    /// The reviewed commit. Absent when it is gone.
    pub commit: Option<ReviewedCommit>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ReviewedCommit {
    pub oid: Oid,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewRequest {
    pub as_code_owner: bool,
    /// Absent when it may not be seen.
    pub requested_reviewer: Option<RequestedReviewer>,
}

/// Facts about the latest commit.
#[derive(Clone, Debug, Default)]
pub struct HeadFacts {
    pub message: String,
    /// The accounts of those who wrote and committed it, where there are some.
    pub people: Vec<String>,
}

/// A person or a team.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestedReviewer {
    #[serde(rename = "__typename")]
    kind: Option<String>,
    login: Option<String>,
    combined_slug: Option<String>,
}

impl RequestedReviewer {
    /// A login, or `organisation/team`.
    pub fn name(&self) -> Option<&str> {
        self.login.as_deref().or(self.combined_slug.as_deref())
    }

    pub fn is_team(&self) -> bool {
        self.combined_slug.is_some() || self.kind.as_deref() == Some("Team")
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadState {
    pub id: NodeId,
    pub is_resolved: bool,
    pub path: String,
    pub line: Option<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedCommit {
    pub oid: Oid,
    /// Absent when it is not signed.
    pub signature: Option<GitSignature>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GitSignature {
    pub is_valid: bool,
    /// `VALID`, or what is wrong with it.
    pub state: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deployment {
    environment: Option<String>,
    latest_environment: Option<String>,
    pub state: Option<DeploymentState>,
    pub created_at: Option<Timestamp>,
}

impl Deployment {
    pub fn environment(&self) -> Option<&str> {
        self.latest_environment
            .as_deref()
            .or(self.environment.as_deref())
    }
}

impl GitHub {
    pub async fn merge_readiness(
        &self,
        repository: &Repository,
        number: u32,
    ) -> Result<MergeReadiness, GitHubError> {
        let errand = Errand::numbered(
            "read the merge requirements of",
            "pull request",
            repository,
            number,
        );
        let variables = json!({
            "owner": repository.owner(),
            "name": repository.name(),
            "number": number,
        });
        let answer: Answer<InRepository<WireRepository>> = self
            .ask(&documents::MERGE_READINESS, &variables, errand)
            .await?;
        let Parts(
            settings,
            OnePull {
                pull_request: Parts(mut pull, lists),
            },
        ) = answer.data.repository;
        let unreadable = answer.unreadable.as_slice();
        let commits = lists.commits.into_facts(COMMITS, unreadable);
        let head = match commits.into_iter().next_back() {
            Some(head) => head.map(|head| Some(head.commit)),
            None => Fact::Known(None),
        };
        let deployments = match &head {
            Fact::Known(Some(head)) => head.deployments.clone().unwrap_or_default().into_listed(),
            Fact::Known(None) => Listed::default(),
            Fact::Unreadable(_) => Connection::default().into_listed(),
        };
        let labels = match lists.labels {
            Some(labels) => Fact::all(labels.into_facts(LABELS, unreadable)),
            None => Fact::at(LABELS, None, unreadable).map(Option::unwrap_or_default),
        };
        let people = PEOPLE
            .iter()
            .find_map(|path| Unreadable::cause(unreadable, path));
        let mut reviews = lists.latest_opinionated_reviews.into_listed();
        // Without its author, it is unknown whether a review counts.
        reviews.truncated |= Unreadable::cause(unreadable, REVIEWS).is_some();
        Ok(MergeReadiness {
            labels: labels.map(|labels| labels.into_iter().map(|label| label.name).collect()),
            head: match (head, people) {
                (Fact::Known(_), Some(people)) => Fact::Unreadable(people.clone()),
                (head, _) => {
                    head.map(|head| head.as_ref().map(HeadFacts::from).unwrap_or_default())
                }
            },
            review_decision: Fact::at(DECISION, pull.review_decision.take(), unreadable),
            base_ref: Fact::at(BASE, pull.base_ref.take(), unreadable),
            protection_unreadable: Unreadable::cause(unreadable, PROTECTION).cloned(),
            protection_gap: Unreadable::inside(unreadable, PROTECTION).cloned(),
            doubts: doubts(unreadable),
            repository: settings,
            pull,
            reviews,
            review_requests: lists.review_requests.into_listed(),
            threads: lists.review_threads.into_listed(),
            commits: commits_of(lists.own_commits, unreadable),
            deployments,
            unreadable: answer.unreadable,
        })
    }
}

/// Where the parts of the answer are.
const COMMITS: &str = "repository.pullRequest.commits";
/// Who made the head.
const PEOPLE: [&str; 2] = [
    "repository.pullRequest.commits.nodes.0.commit.author",
    "repository.pullRequest.commits.nodes.0.commit.committer",
];
const REVIEWS: &str = "repository.pullRequest.latestOpinionatedReviews";
const LABELS: &str = "repository.pullRequest.labels";
const DECISION: &str = "repository.pullRequest.reviewDecision";
const BASE: &str = "repository.pullRequest.baseRef";
const PROTECTION: &str = "repository.pullRequest.baseRef.branchProtectionRule";
const THREADS: &str = "repository.pullRequest.reviewThreads";
const OWN_COMMITS: &str = "repository.pullRequest.ownCommits";
const UPDATE_RULE: &str = "repository.pullRequest.baseRef.refUpdateRule";

/// Parts for whose absence there is a place of its own in the answer.
const ACCOUNTED_FOR: [&str; 9] = [
    REVIEWS,
    LABELS,
    DECISION,
    PROTECTION,
    "repository.pullRequest.commits",
    "repository.pullRequest.reviewRequests",
    THREADS,
    OWN_COMMITS,
    "rateLimit",
];

/// Fields that no merge depends on.
const HARMLESS: [&str; 12] = [
    "repository.viewerPermission",
    "repository.deleteBranchOnMerge",
    "repository.pullRequest.url",
    "repository.pullRequest.locked",
    "repository.pullRequest.merged",
    "repository.pullRequest.maintainerCanModify",
    "repository.pullRequest.viewerCanMergeAsAdmin",
    "repository.pullRequest.viewerCanUpdateBranch",
    "repository.pullRequest.isInMergeQueue",
    "repository.pullRequest.autoMergeRequest",
    "repository.pullRequest.baseRef.associatedPullRequests",
    "repository.pullRequest.reviewThreads.nodes.line",
];

fn doubts(unreadable: &[Unreadable]) -> Vec<Unreadable> {
    let is_told = |part: &&Unreadable| {
        let mut known = ACCOUNTED_FOR.iter().chain(&HARMLESS);
        let is_whole = [BASE, UPDATE_RULE].contains(&part.what.as_str());
        is_whole || known.any(|path| part.is_at_or_below(path))
    };
    unreadable
        .iter()
        .filter(|part| !is_told(part))
        .cloned()
        .collect()
}

type WireRepository = Parts<RepositorySettings, OnePull<Parts<PullReadiness, Lists>>>;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lists {
    labels: Option<Connection<Named>>,
    #[serde(default, deserialize_with = "null_as_default")]
    latest_opinionated_reviews: Connection<OpinionatedReview>,
    #[serde(default, deserialize_with = "null_as_default")]
    review_requests: Connection<ReviewRequest>,
    #[serde(default, deserialize_with = "null_as_default")]
    review_threads: Connection<ThreadState>,
    #[serde(default, deserialize_with = "null_as_default")]
    commits: Connection<Wrapped<HeadCommit>>,
    #[serde(default, deserialize_with = "null_as_default")]
    own_commits: Connection<Wrapped<SignedCommit>>,
}

/// A commit as a pull request has it.
#[derive(Debug, Deserialize)]
struct Wrapped<T> {
    commit: T,
}

#[derive(Clone, Debug, Deserialize)]
struct HeadCommit {
    #[serde(default)]
    message: String,
    author: Option<Person>,
    committer: Option<Person>,
    deployments: Option<Connection<Deployment>>,
}

#[derive(Clone, Debug, Deserialize)]
struct Person {
    user: Option<Account>,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

impl From<&HeadCommit> for HeadFacts {
    fn from(commit: &HeadCommit) -> Self {
        let people = [&commit.author, &commit.committer].into_iter().flatten();
        let mut people: Vec<String> = people
            .filter_map(|person| Some(person.user.as_ref()?.login.clone()))
            .collect();
        people.dedup();
        Self {
            message: commit.message.clone(),
            people,
        }
    }
}

fn commits_of(
    connection: Connection<Wrapped<SignedCommit>>,
    unreadable: &[Unreadable],
) -> Listed<SignedCommit> {
    let mut listed = connection.into_listed();
    if Unreadable::cause(unreadable, OWN_COMMITS).is_some() {
        // A signature that is withheld looks like one that is not there.
        listed.items.retain(|item| item.commit.signature.is_some());
        listed.truncated = true;
    }
    Listed {
        items: listed.items.into_iter().map(|item| item.commit).collect(),
        truncated: listed.truncated,
    }
}
