use async_graphql::{Object, Result};

use super::{Actor, PullRequest};
use crate::graphql::enums::PullRequestMergeMethod;
use crate::graphql::scalars::DateTime;
use crate::store::pulls::AutoMerge;

/// "Merge it as soon as it may be merged." Made only of a pull request of
/// which that was said.
pub(in crate::graphql) struct AutoMergeRequest(pub(super) PullRequest);

#[Object]
impl AutoMergeRequest {
    async fn commit_body(&self) -> Option<&str> {
        self.wish()?.commit_message.as_deref()
    }

    async fn commit_headline(&self) -> Option<&str> {
        self.wish()?.commit_title.as_deref()
    }

    async fn enabled_at(&self) -> Option<DateTime> {
        Some(self.wish()?.enabled_at.as_str().into())
    }

    async fn enabled_by(&self) -> Option<Actor> {
        Some(self.wish()?.enabled_by.clone().into())
    }

    async fn merge_method(&self) -> Result<PullRequestMergeMethod> {
        let wish = self.wish().ok_or("nobody asked for an automatic merge")?;
        Ok(wish.method.into())
    }

    async fn pull_request(&self) -> &PullRequest {
        &self.0
    }
}

impl AutoMergeRequest {
    fn wish(&self) -> Option<&AutoMerge> {
        self.0.row.auto_merge.as_ref()
    }
}
