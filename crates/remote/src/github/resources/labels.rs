//! Labels of a repository and of its issues and pull requests.

use baton_protocol::Repository;
use serde::Deserialize;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::errand::Errand;
use crate::github::error::{GitHubError, GitHubErrorKind};
use crate::github::values::Listed;
use crate::http::Safety;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Label {
    pub name: String,
    /// Six hexadecimal digits.
    pub color: Option<String>,
    pub description: Option<String>,
}

impl GitHub {
    pub async fn labels(&self, repository: &Repository) -> Result<Listed<Label>, GitHubError> {
        let errand = Errand::new("list", format!("the labels of {repository}"));
        self.list(endpoint::LABELS.read(repository, &[], errand))
            .await
    }

    /// Creates a label, or leaves the one of that name as it is.
    pub async fn ensure_label(
        &self,
        repository: &Repository,
        label: &Label,
    ) -> Result<(), GitHubError> {
        let errand = Errand::new("make", format!("label '{}' in {repository}", label.name));
        let safety = Safety::Idempotent {
            proof: "a label of that name is not made twice",
        };
        let request = endpoint::LABEL_CREATE
            .write(repository, &[], safety, errand)
            .json(&json!({
                "name": label.name,
                "color": label.color.as_deref().unwrap_or("ededed"),
                "description": label.description.as_deref().unwrap_or_default(),
            }));
        match self.settle(request).await {
            Ok(()) => Ok(()),
            Err(error) if error.already_exists() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// `number` is an issue's or a pull request's. Labels that it has stay.
    pub async fn add_labels(
        &self,
        repository: &Repository,
        number: u32,
        labels: &[&str],
    ) -> Result<Vec<Label>, GitHubError> {
        let errand = Errand::new("label", format!("{repository}#{number}"));
        let safety = Safety::Idempotent {
            proof: "a label that is there is not added twice",
        };
        let request = endpoint::ISSUE_LABELS_ADD
            .write(repository, &[&number], safety, errand)
            .json(&json!({ "labels": labels }));
        self.get(request).await
    }

    /// Fine when the label was not there.
    pub async fn remove_label(
        &self,
        repository: &Repository,
        number: u32,
        label: &str,
    ) -> Result<(), GitHubError> {
        let errand = Errand::new(
            "take off",
            format!("label '{label}' of {repository}#{number}"),
        );
        let safety = Safety::Idempotent {
            proof: "a label that is gone stays gone",
        };
        let request =
            endpoint::ISSUE_LABEL_REMOVE.write(repository, &[&number, &label], safety, errand);
        match self.settle(request).await {
            Ok(()) => Ok(()),
            Err(error) if matches!(error.kind(), GitHubErrorKind::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
