//! The owner of the token.

use serde::Deserialize;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::graphql::Answer;
use crate::github::values::Account;

#[derive(Deserialize)]
struct Page {
    viewer: Account,
}

impl GitHub {
    pub async fn viewer(&self) -> Result<Account, GitHubError> {
        let errand = Errand::new("find out", "whose token this is");
        let answer: Answer<Page> = self.ask(&documents::VIEWER, &json!({}), errand).await?;
        Ok(answer.data.viewer)
    }
}
