use async_graphql::Object;

use super::Repository;
use crate::graphql::enums::{PullRequestMergeMethod, RepositoryVisibility};
use crate::store::users::UserKind;

/// The fields of a repository that are switches, or the same everywhere here.
pub(super) struct RepositorySettings(pub(super) Repository);

#[Object]
impl RepositorySettings {
    async fn allow_update_branch(&self) -> bool {
        self.0.0.allow_update_branch
    }

    async fn auto_merge_allowed(&self) -> bool {
        self.0.0.allow_auto_merge
    }

    async fn delete_branch_on_merge(&self) -> bool {
        self.0.0.delete_branch_on_merge
    }

    async fn has_issues_enabled(&self) -> bool {
        self.0.0.has_issues
    }

    async fn has_projects_enabled(&self) -> bool {
        false
    }

    async fn has_wiki_enabled(&self) -> bool {
        false
    }

    async fn is_archived(&self) -> bool {
        self.0.0.archived
    }

    async fn is_disabled(&self) -> bool {
        self.0.0.suspended.is_some()
    }

    async fn is_fork(&self) -> bool {
        self.0.0.fork_of.is_some()
    }

    async fn is_in_organization(&self) -> bool {
        self.0.0.owner.kind == UserKind::Organization
    }

    async fn is_locked(&self) -> bool {
        self.0.0.suspended.is_some()
    }

    async fn is_mirror(&self) -> bool {
        false
    }

    async fn is_private(&self) -> bool {
        self.0.0.private
    }

    async fn is_template(&self) -> bool {
        false
    }

    async fn merge_commit_allowed(&self) -> bool {
        self.0.0.allow_merge_commit
    }

    async fn rebase_merge_allowed(&self) -> bool {
        self.0.0.allow_rebase_merge
    }

    async fn squash_merge_allowed(&self) -> bool {
        self.0.0.allow_squash_merge
    }

    async fn viewer_default_merge_method(&self) -> PullRequestMergeMethod {
        if self.0.0.allow_merge_commit {
            PullRequestMergeMethod::Merge
        } else if self.0.0.allow_squash_merge {
            PullRequestMergeMethod::Squash
        } else {
            PullRequestMergeMethod::Rebase
        }
    }

    async fn visibility(&self) -> RepositoryVisibility {
        if self.0.0.private {
            RepositoryVisibility::Private
        } else {
            RepositoryVisibility::Public
        }
    }
}
