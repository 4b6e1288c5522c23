//! Rulesets: the rules that apply to a branch, those of the organisation
//! included.

use baton_protocol::Repository;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::branch_protection::RequiredCheck;
use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::enums::{Enforcement, MergeMethod};
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::open_enum::open_enum;
use crate::github::values::{Listed, null_as_default};

/// An active rule of a branch, and the ruleset that it comes from.
#[derive(Clone, Debug)]
pub struct BranchRule {
    pub rule: Rule,
    pub ruleset_id: Option<u64>,
    /// `Repository` or `Organization`.
    pub source_type: Option<String>,
    pub source: Option<String>,
}

#[derive(Clone, Debug)]
pub enum Rule {
    PullRequest(PullRequestRule),
    RequiredStatusChecks(StatusChecksRule),
    RequiredDeployments(DeploymentsRule),
    RequiredSignatures,
    RequiredLinearHistory,
    MergeQueue(MergeQueueRule),
    Workflows(WorkflowsRule),
    CodeScanning(CodeScanningRule),
    /// Only those who may bypass the rule can change the branch.
    Update,
    CopilotCodeReview,
    /// Irrelevant to a merge: they guard creation, deletion and pushes.
    Creation,
    Deletion,
    NonFastForward,
    /// A rule that this version does not know, or whose parameters it cannot
    /// parse. It never counts as satisfied.
    Other {
        kind: String,
        parameters: Value,
    },
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "GitHub's own shape; each flag is a rule of its own"
)]
pub struct PullRequestRule {
    pub required_approving_review_count: u32,
    pub require_code_owner_review: bool,
    pub require_last_push_approval: bool,
    pub required_review_thread_resolution: bool,
    pub dismiss_stale_reviews_on_push: bool,
    /// Empty: all that the repository allows.
    #[serde(deserialize_with = "null_as_default")]
    pub allowed_merge_methods: Vec<MergeMethod>,
    /// Teams that must approve changes of certain files.
    #[serde(deserialize_with = "null_as_default")]
    pub required_reviewers: Vec<RequiredReviewer>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct RequiredReviewer {
    #[serde(default)]
    pub file_patterns: Vec<String>,
    #[serde(default)]
    pub minimum_approvals: u32,
}

#[derive(Clone, Debug, Deserialize)]
pub struct StatusChecksRule {
    #[serde(rename = "required_status_checks")]
    pub checks: Vec<RequiredCheck>,
    /// The branch must be up to date with its base.
    #[serde(rename = "strict_required_status_checks_policy", default)]
    pub strict: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub struct DeploymentsRule {
    #[serde(rename = "required_deployment_environments")]
    pub environments: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct MergeQueueRule {
    pub merge_method: Option<MergeMethod>,
    pub max_entries_to_build: Option<u64>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct WorkflowsRule {
    pub workflows: Vec<RequiredWorkflow>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct RequiredWorkflow {
    pub path: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct CodeScanningRule {
    #[serde(rename = "code_scanning_tools")]
    pub tools: Vec<CodeScanningTool>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct CodeScanningTool {
    pub tool: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Ruleset {
    pub id: u64,
    pub name: String,
    pub enforcement: Enforcement,
    pub source_type: Option<String>,
    pub source: Option<String>,
    pub current_user_can_bypass: Option<Bypass>,
}

open_enum! {
    pub enum Bypass {
        Always = "always",
        PullRequestsOnly = "pull_requests_only",
        Exempt = "exempt",
        Never = "never",
    }
}

impl GitHub {
    /// The active rules for a branch, whether it exists or not. All readers of
    /// the repository may read them.
    pub async fn branch_rules(
        &self,
        repository: &Repository,
        branch: &str,
    ) -> Result<Listed<BranchRule>, GitHubError> {
        let errand = Errand::new(
            "read",
            format!("the rules of branch '{branch}' of {repository}"),
        )
        .needing("Metadata");
        let request = endpoint::BRANCH_RULES.read(repository, &[&branch], errand);
        match self.list(request).await {
            // Where rules are not available, there are none.
            Err(error) if error.is_not_in_plan() => Ok(Listed::default()),
            answer => answer,
        }
    }

    /// A ruleset's name and whether the token's owner may bypass it.
    pub async fn ruleset(&self, repository: &Repository, id: u64) -> Result<Ruleset, GitHubError> {
        let errand = Errand::new("read", format!("ruleset {id} of {repository}"));
        self.get(endpoint::RULESET.read(repository, &[&id], errand))
            .await
    }
}

impl<'de> Deserialize<'de> for BranchRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Wire {
            #[serde(rename = "type")]
            kind: String,
            #[serde(default)]
            parameters: Value,
            ruleset_id: Option<u64>,
            ruleset_source_type: Option<String>,
            ruleset_source: Option<String>,
        }
        let wire = Wire::deserialize(deserializer)?;
        Ok(Self {
            rule: Rule::read(wire.kind, wire.parameters),
            ruleset_id: wire.ruleset_id,
            source_type: wire.ruleset_source_type,
            source: wire.ruleset_source,
        })
    }
}

impl Rule {
    fn read(kind: String, parameters: Value) -> Self {
        fn with<T: for<'de> Deserialize<'de>>(
            make: fn(T) -> Rule,
            parameters: &Value,
        ) -> Option<Rule> {
            T::deserialize(parameters).ok().map(make)
        }
        let known = match kind.as_str() {
            "pull_request" => with(Self::PullRequest, &parameters),
            "required_status_checks" => with(Self::RequiredStatusChecks, &parameters),
            "required_deployments" => with(Self::RequiredDeployments, &parameters),
            "merge_queue" => with(Self::MergeQueue, &parameters),
            "workflows" => with(Self::Workflows, &parameters),
            "code_scanning" => with(Self::CodeScanning, &parameters),
            "required_signatures" => Some(Self::RequiredSignatures),
            "required_linear_history" => Some(Self::RequiredLinearHistory),
            "update" => Some(Self::Update),
            "copilot_code_review" => Some(Self::CopilotCodeReview),
            "creation" => Some(Self::Creation),
            "deletion" => Some(Self::Deletion),
            "non_fast_forward" => Some(Self::NonFastForward),
            _ => None,
        };
        known.unwrap_or(Self::Other { kind, parameters })
    }
}
