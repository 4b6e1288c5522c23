//! Classic branch protection.

use baton_protocol::Oid;
use baton_protocol::Repository;
use serde::Deserialize;

use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::errand::Errand;
use crate::github::error::{GitHubError, GitHubErrorKind};
use crate::github::fact::Unreadable;
use crate::github::values::null_as_default;

/// What is known about the classic protection of a branch.
#[derive(Clone, Debug)]
pub enum Protection {
    /// There is none.
    Unprotected,
    Rules(Box<ProtectionRules>),
    /// There may be some, and the token is not allowed to read it.
    Hidden(Unreadable),
}

#[derive(Clone, Debug, Deserialize)]
pub struct ProtectionRules {
    pub required_status_checks: Option<RequiredStatusChecks>,
    pub required_pull_request_reviews: Option<RequiredReviews>,
    /// Present when only some may push.
    pub restrictions: Option<serde::de::IgnoredAny>,
    #[serde(default, deserialize_with = "null_as_default")]
    pub enforce_admins: Switch,
    #[serde(default, deserialize_with = "null_as_default")]
    pub required_linear_history: Switch,
    #[serde(default, deserialize_with = "null_as_default")]
    pub required_conversation_resolution: Switch,
    #[serde(default, deserialize_with = "null_as_default")]
    pub required_signatures: Switch,
    #[serde(default, deserialize_with = "null_as_default")]
    pub lock_branch: Switch,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Switch {
    #[serde(default)]
    pub enabled: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct RequiredStatusChecks {
    /// The branch must be up to date with its base.
    #[serde(default, deserialize_with = "null_as_default")]
    pub strict: bool,
    #[serde(default)]
    pub contexts: Vec<String>,
    /// The same as `contexts`, with the app that must report it.
    #[serde(default)]
    pub checks: Vec<RequiredCheck>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RequiredCheck {
    pub context: String,
    #[serde(alias = "integration_id")]
    pub app_id: Option<i64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct RequiredReviews {
    #[serde(default, deserialize_with = "null_as_default")]
    pub required_approving_review_count: u32,
    #[serde(default)]
    pub dismiss_stale_reviews: bool,
    #[serde(default)]
    pub require_code_owner_reviews: bool,
    #[serde(default)]
    pub require_last_push_approval: bool,
}

/// The part of a branch's protection that all readers of the repository may see.
#[derive(Clone, Debug, Deserialize)]
pub struct Branch {
    pub name: String,
    pub commit: BranchTip,
    #[serde(default)]
    pub protected: bool,
    pub protection: Option<ProtectionSummary>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct BranchTip {
    pub sha: Oid,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ProtectionSummary {
    #[serde(default)]
    pub enabled: bool,
    pub required_status_checks: Option<RequiredStatusChecks>,
}

impl GitHub {
    pub async fn branch(
        &self,
        repository: &Repository,
        branch: &str,
    ) -> Result<Branch, GitHubError> {
        let errand =
            Errand::new("read", format!("branch '{branch}' of {repository}")).needing("Contents");
        self.get(endpoint::BRANCH.read(repository, &[&branch], errand))
            .await
    }

    /// Only administrators may read it all; for others it is
    /// [`Hidden`](Protection::Hidden), which is never the same as none.
    pub async fn branch_protection(
        &self,
        repository: &Repository,
        branch: &str,
    ) -> Result<Protection, GitHubError> {
        let errand = Errand::new(
            "read",
            format!("the protection of branch '{branch}' of {repository}"),
        )
        .needing("Administration");
        let request = endpoint::BRANCH_PROTECTION.read(repository, &[&branch], errand);
        match self.get(request).await {
            Ok(rules) => Ok(Protection::Rules(Box::new(rules))),
            Err(error) if error.is_unprotected() => Ok(Protection::Unprotected),
            Err(error) => match error.kind() {
                GitHubErrorKind::NotFound { .. }
                | GitHubErrorKind::NotPermitted { .. }
                | GitHubErrorKind::MissingScopes { .. } => {
                    Ok(Protection::Hidden(Unreadable::from(&error)))
                }
                _ => Err(error),
            },
        }
    }
}
