//! The PR phase: push, create the pull request, link and move the Jira issue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Verdict, context, context_of};
use crate::Problem;
use crate::request::{
    Shape, absolute_path, boolean, default, nullable, request, required, text_of_at_least,
    text_that,
};

request! {
    /// The pull request to open.
    pub struct PrInput, unknown keys Ignored {
        /// The branch to open the pull request from.
        #[message = "Branch name is required and must differ from base branch"]
        branch: String = required(text_of_at_least(1)),
        /// The branch to merge into.
        #[message = "Base branch name is required"]
        base_branch: String = default(DEFAULT_BASE.to_owned(), branch_name()),
        /// The title of the pull request.
        #[message = "PR title must be at least 5 characters"]
        title: String = required(text_of_at_least(5)),
        /// The body of the pull request, in Markdown.
        #[message = "PR description must be at least 10 characters"]
        description: String = required(text_of_at_least(10)),
        /// The Jira issue to link, such as PROJ-123.
        #[message = "Jira key must match format: PROJECT-123"]
        jira_key: Option<String> = nullable(
            text_that("a key such as PROJECT-123", is_jira_key)
                .described("pattern", "^[A-Z]+-[0-9]+$")
        ),
        /// Marks the pull request ready for review at once.
        #[message = "mark_ready must be true or false"]
        mark_ready: bool = default(false, boolean()),
        /// Creates the pull request as a draft.
        #[message = "draft must be true or false"]
        draft: bool = default(true, boolean()),
        /// Absolute path to the git repository.
        #[message = "Working directory must be valid absolute path"]
        working_directory: String = required(absolute_path().described("minLength", 1)),
    }
    rule branch, "branch must differ from base_branch",
        branch.is_none() || branch.as_deref() != Some(base_branch.as_deref().unwrap_or(DEFAULT_BASE));
}

const DEFAULT_BASE: &str = "main";

/// The schema of the contract does not say that it may not be empty.
fn branch_name() -> Shape<String> {
    text_that("a non-empty string", |text| !text.is_empty())
}

fn is_jira_key(text: &str) -> bool {
    let Some((project, number)) = text.split_once('-') else {
        return false;
    };
    !project.is_empty()
        && project.bytes().all(|b| b.is_ascii_uppercase())
        && !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit())
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrOutput {
    /// `success` as soon as the pull request exists; later trouble is in `errors`.
    #[serde(with = "success_or_failed")]
    #[schemars(with = "success_or_failed::Word")]
    pub status: Verdict,
    /// Wall clock of the whole call.
    #[schemars(extend("type" = "number"))]
    pub execution_time_ms: u64,
    /// The pull request's page; null when there is none.
    #[schemars(extend("format" = "uri"))]
    pub pr_url: Option<String>,
    /// The pull request's number; null when there is none.
    #[schemars(range(min = 1), extend("type" = ["number", "null"]))]
    pub pr_number: Option<u64>,
    pub jira_status: JiraStatus,
    /// Asked for, and the pull request is ready at the end.
    pub marked_ready: bool,
    /// Errors and warnings.
    pub errors: Vec<PrError>,
}

/// How the Jira issue stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JiraStatus {
    /// The pull request is linked to the issue.
    pub linked: bool,
    /// The issue was moved to code review.
    pub transitioned: bool,
    /// The issue's status at the end; null when unknown.
    pub current_state: Option<String>,
    /// Why something about Jira did not work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The error types of the PR phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PrErrorType {
    ValidationError,
    BranchNotFound,
    PrCreationFailed,
    JiraNotConfigured,
    JiraAuthenticationFailed,
    JiraIssueNotFound,
    JiraLinkFailed,
    JiraTransitionFailed,
    JiraTransitionAmbiguous,
    MarkReadyFailed,
    GitPushFailed,
    UnknownError,
}

// Each type has a constructor, which fixes its message and the keys of its context.
/// One thing that went wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrError {
    #[serde(rename = "type")]
    pub kind: PrErrorType,
    /// A sentence for people.
    pub message: String,
    /// More facts; the keys depend on the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Map<String, Value>>,
}

impl PrError {
    fn new(kind: PrErrorType, message: impl Into<String>, facts: Value) -> Self {
        Self {
            kind,
            message: message.into(),
            context: context(facts),
        }
    }

    pub fn validation(problem: &Problem) -> Self {
        Self::new(
            PrErrorType::ValidationError,
            problem.message.clone(),
            context_of(problem),
        )
    }

    pub fn malformed(error: &crate::json::MalformedJson) -> Self {
        Self::new(
            PrErrorType::ValidationError,
            error.to_string(),
            json!({ "field": "" }),
        )
    }

    pub fn branch_not_found(branch: &str, error_output: &str) -> Self {
        Self::new(
            PrErrorType::BranchNotFound,
            format!("Branch '{branch}' does not exist locally or remotely"),
            json!({ "branch": branch, "error_output": error_output }),
        )
    }

    pub fn git_push_failed(branch: &str, reason: &str, error_output: &str) -> Self {
        Self::new(
            PrErrorType::GitPushFailed,
            format!("Failed to push branch '{branch}': {reason}"),
            json!({ "branch": branch, "error_output": error_output }),
        )
    }

    pub fn pr_creation_failed(branch: &str, reason: &str, error_output: &str) -> Self {
        Self::new(
            PrErrorType::PrCreationFailed,
            format!("Failed to create pull request: {reason}"),
            json!({ "branch": branch, "error_output": error_output }),
        )
    }

    pub fn mark_ready_failed(branch: &str, error_output: &str) -> Self {
        Self::new(
            PrErrorType::MarkReadyFailed,
            "Could not mark the pull request ready for review",
            json!({ "branch": branch, "error_output": error_output }),
        )
    }

    pub fn jira_not_configured() -> Self {
        Self::new(
            PrErrorType::JiraNotConfigured,
            "Jira integration skipped: Atlassian MCP tools not available. \
             Configure MCP to enable Jira integration.",
            json!({}),
        )
    }

    pub fn jira_authentication_failed(jira_key: &str, error_output: &str) -> Self {
        Self::new(
            PrErrorType::JiraAuthenticationFailed,
            "Jira refused the credentials",
            json!({ "jira_key": jira_key, "error_output": error_output }),
        )
    }

    pub fn jira_issue_not_found(jira_key: &str) -> Self {
        Self::new(
            PrErrorType::JiraIssueNotFound,
            format!("Jira issue {jira_key} does not exist or you don't have permission to view it"),
            json!({ "jira_key": jira_key }),
        )
    }

    pub fn jira_link_failed(jira_key: &str, error_output: &str) -> Self {
        Self::new(
            PrErrorType::JiraLinkFailed,
            format!("Could not link the pull request to {jira_key}"),
            json!({ "jira_key": jira_key, "error_output": error_output }),
        )
    }

    pub fn jira_transition_failed(jira_key: &str, available: &[String]) -> Self {
        Self::new(
            PrErrorType::JiraTransitionFailed,
            format!("Could not transition {jira_key} to Code Review state"),
            json!({ "jira_key": jira_key, "available_transitions": available }),
        )
    }

    pub fn jira_transition_ambiguous(jira_key: &str, matching: &[String]) -> Self {
        Self::new(
            PrErrorType::JiraTransitionAmbiguous,
            format!("Several transitions of {jira_key} lead to a review; none was taken"),
            json!({ "jira_key": jira_key, "available_transitions": matching }),
        )
    }

    pub fn unknown(error_output: &str) -> Self {
        Self::new(
            PrErrorType::UnknownError,
            "Something unexpected went wrong",
            json!({ "error_output": error_output }),
        )
    }
}

impl PrOutput {
    /// The answer when no pull request was made; Jira was not tried.
    pub fn failed(execution_time_ms: u64, errors: Vec<PrError>) -> Self {
        Self {
            status: Verdict::Fail,
            execution_time_ms,
            pr_url: None,
            pr_number: None,
            jira_status: JiraStatus::default(),
            marked_ready: false,
            errors,
        }
    }
}

/// This phase's words for a [`Verdict`].
mod success_or_failed {
    use schemars::JsonSchema;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Verdict;

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[schemars(rename = "Status")]
    pub(super) enum Word {
        Success,
        Failed,
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "the signature that serde calls"
    )]
    pub(super) fn serialize<S: Serializer>(
        verdict: &Verdict,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match verdict {
            Verdict::Pass => Word::Success,
            Verdict::Fail => Word::Failed,
        }
        .serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Verdict, D::Error> {
        Ok(match Word::deserialize(deserializer)? {
            Word::Success => Verdict::Pass,
            Word::Failed => Verdict::Fail,
        })
    }
}
