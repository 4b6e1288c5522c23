//! Repositories.

use super::{Call, Payload};
use crate::actions::repositories::{self as actions, Creation, Edit};
use crate::graphql::lookup;
use crate::graphql::objects::Repo;
use crate::graphql::prelude::*;

/// What `git init` is told for a repository that says nothing else.
const DEFAULT_BRANCH: &str = "main";

impl Call<'_> {
    pub(super) async fn repositories(&self) -> Result<Payload, QueryError> {
        match self.name {
            "createRepository" => self.create_repository().await,
            _ => self.archive().await,
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
}
