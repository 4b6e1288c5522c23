//! Repositories and their branches.

use std::sync::Arc;

use super::{Call, Payload};
use crate::actions::refs;
use crate::actions::repositories::{self as actions, Creation, Edit};
use crate::graphql::errors::QueryError;
use crate::graphql::lookup;
use crate::graphql::objects::{Issue, LinkedBranch, Repo};
use crate::store::linked_branches;
use crate::store::repositories::Permission;

/// What `git init` is told for a repository that says nothing else.
const DEFAULT_BRANCH: &str = "main";

/// A title may have 256 characters; a branch need not.
const MAX_BRANCH_LEN: usize = 80;

impl Call<'_> {
    pub(super) async fn repositories(&self) -> Result<Payload, QueryError> {
        match self.name {
            "createRepository" => self.create_repository().await,
            "archiveRepository" => self.archive().await,
            _ => self.link_branch().await,
        }
    }

    async fn create_repository(&self) -> Result<Payload, QueryError> {
        let (cx, input) = (self.cx, &self.input);
        let owner = match input.text("ownerId") {
            Some(id) => lookup::account(cx, id)?,
            None => cx.viewer()?.clone(),
        };
        let owner = actions::owner_for(&cx.app, &cx.caller, &owner.login)?;
        let creation = Creation {
            name: input.required("name").to_owned(),
            description: input.owned("description"),
            private: input.required("visibility") != "PUBLIC",
            default_branch: DEFAULT_BRANCH.to_owned(),
            path: None,
        };
        let mut row = actions::create(&cx.app, &owner, creation).await?;
        if input.flag("hasIssuesEnabled") == Some(false) {
            let edit = Edit {
                has_issues: Some(false),
                ..Edit::default()
            };
            row = actions::update(cx.on(&row), edit).await?;
        }
        Ok(Payload::new("repository", Repo(Arc::new(row))))
    }

    async fn archive(&self) -> Result<Payload, QueryError> {
        let cx = self.cx;
        let repository = lookup::repository(cx, self.id("repositoryId"))?;
        cx.read(|conn| cx.caller.check(conn, &repository, Permission::Admin))?;
        let edit = Edit {
            archived: Some(true),
            ..Edit::default()
        };
        let row = actions::update(cx.on(&repository), edit).await?;
        Ok(Payload::new("repository", Repo(Arc::new(row))))
    }

    /// Without a name, the branch is called after the issue, as at GitHub.
    async fn link_branch(&self) -> Result<Payload, QueryError> {
        let (cx, input) = (self.cx, &self.input);
        let issue = lookup::issue(cx, self.id("issueId"))?;
        let repository = match input.text("repositoryId") {
            Some(id) => lookup::repository(cx, id)?,
            None => Arc::clone(&issue.repository),
        };
        let name = input
            .owned("name")
            .unwrap_or_else(|| branch_name(issue.row.number, &issue.row.title));
        let name = format!("refs/heads/{}", name.trim_start_matches("refs/heads/"));
        self.check(&repository, Permission::Write)?;
        let oid = input.required("oid");
        refs::create(cx.on(&repository), &name, oid).await?;
        let (issue_id, repository_id) = (issue.row.id, repository.id);
        let linked = cx
            .app
            .write(move |tx| Ok(linked_branches::add(tx, issue_id, repository_id, &name)?));
        let linked = LinkedBranch(linked.await?);
        let issue = Issue::new(issue.row, &issue.repository);
        Ok(Payload::new("issue", issue).and("linkedBranch", linked))
    }
}

/// `12-make-it-work`.
fn branch_name(number: i64, title: &str) -> String {
    let mut name = number.to_string();
    let words = title.split(|c: char| !c.is_ascii_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        name.push('-');
        name.push_str(&word.to_ascii_lowercase());
    }
    name.truncate(MAX_BRANCH_LEN);
    name.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_called_after_its_issue() {
        assert_eq!(branch_name(12, "Make it work!"), "12-make-it-work");
        assert_eq!(branch_name(7, "$(rm -rf ~) ü"), "7-rm-rf");
        assert_eq!(branch_name(3, "…"), "3");
        assert_eq!(branch_name(1, &"word ".repeat(50)).len(), MAX_BRANCH_LEN);
    }
}
