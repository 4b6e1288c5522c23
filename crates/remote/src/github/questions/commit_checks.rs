//! The CI results of a commit, independent of pull requests.

use baton_protocol::Oid;
use baton_protocol::Repository;
use serde::Deserialize;
use serde_json::json;

use super::head_checks::{Head, HeadChecks};
use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::errand::Errand;
use crate::github::error::{GitHubError, GitHubErrorKind};
use crate::github::graphql::{Answer, InRepository, MAX_PAGES, Parts};

#[derive(Clone, Debug)]
pub struct CommitChecks {
    pub oid: Oid,
    /// The commit's page.
    pub url: String,
    pub head: HeadChecks,
}

#[derive(Deserialize)]
struct InObject {
    object: Option<Parts<Object, Head>>,
}

#[derive(Deserialize)]
struct Object {
    /// Absent when it is a tree, a blob or a tag.
    oid: Option<Oid>,
    url: Option<String>,
}

impl GitHub {
    pub async fn commit_checks(
        &self,
        repository: &Repository,
        commit: &Oid,
    ) -> Result<CommitChecks, GitHubError> {
        let (mut checks, mut next) = self.page_of_commit_checks(repository, commit, None).await?;
        for _ in 1..MAX_PAGES {
            if next.is_none() {
                break;
            }
            let (page, cursor) = self.page_of_commit_checks(repository, commit, next).await?;
            checks.head.extend(page.head);
            next = cursor;
        }
        checks.head.truncated |= next.is_some();
        Ok(checks)
    }

    async fn page_of_commit_checks(
        &self,
        repository: &Repository,
        commit: &Oid,
        after: Option<String>,
    ) -> Result<(CommitChecks, Option<String>), GitHubError> {
        let object = format!("commit {commit} of {repository}");
        let errand = Errand::new("read the checks of", object).within(repository);
        let variables = json!({
            "owner": repository.owner(),
            "name": repository.name(),
            "oid": commit.as_str(),
            "after": after,
            "firstPage": after.is_none(),
        });
        let answer: Answer<InRepository<InObject>> = self
            .ask(&documents::COMMIT_CHECKS, &variables, errand.clone())
            .await?;
        let found = answer.data.repository.object;
        let Some(Parts(
            Object {
                oid: Some(oid),
                url,
            },
            head,
        )) = found
        else {
            let kind = GitHubErrorKind::NotFound {
                message: format!("{repository} has no commit {commit}"),
                missing_scopes: Vec::new(),
            };
            return Err(GitHubError::new(errand, kind));
        };
        let (head, next) = head.read("repository.object", &answer.unreadable);
        let checks = CommitChecks {
            oid,
            url: url.unwrap_or_default(),
            head,
        };
        Ok((checks, next))
    }
}
