//! GitHub's search, which has a small quota of its own.

use baton_protocol::Repository;
use serde::Deserialize;

use super::issues::Issue;
use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::http::Safety;

#[derive(Clone, Debug, Deserialize)]
pub struct Found {
    /// Of all, not only those given.
    pub total_count: u64,
    /// The search ran out of time; there may be more.
    #[serde(default)]
    pub incomplete_results: bool,
    /// Best first, at most 100.
    #[serde(default)]
    pub items: Vec<Issue>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchFor {
    Issues,
    PullRequests,
}

impl GitHub {
    /// Searches the issues or pull requests of a repository for words. The words
    /// are untrusted: they are quoted, so that none of them can be a qualifier
    /// that redirects the search.
    pub async fn search_issues(
        &self,
        repository: &Repository,
        what: SearchFor,
        words: &[&str],
        limit: u8,
    ) -> Result<Found, GitHubError> {
        let kind = match what {
            SearchFor::Issues => "issue",
            SearchFor::PullRequests => "pr",
        };
        let mut query = format!("repo:{repository} is:{kind}");
        for word in words {
            let word: String = word
                .chars()
                .filter(|c| !matches!(c, '"' | '\\') && !c.is_control())
                .collect();
            let quoted = format!(" \"{word}\"");
            // GitHub refuses queries whose words have more than 256 characters.
            if word.is_empty() || query.chars().count() + quoted.chars().count() > 256 {
                continue;
            }
            query.push_str(&quoted);
        }
        let errand = Errand::new("search", repository.to_string()).within(repository);
        let request = endpoint::SEARCH_ISSUES
            .global(&[], Safety::Read, errand)
            .query("q", query)
            .query("per_page", limit.clamp(1, 100))
            .resource("search");
        self.get(request).await
    }
}
