use async_graphql::{Context, ID, Object, Result};

use super::{Payload, inputs, payloads};
use crate::actions::repositories::{self as actions, Creation, Edit};
use crate::graphql::access::{access, viewer};
use crate::graphql::enums::RepositoryVisibility;
use crate::graphql::lookup;
use crate::graphql::objects::Repository;
use crate::graphql::scalars::Uri;
use crate::store::repositories::Permission;

inputs! {
    CreateRepositoryInput {
        description: Option<String>,
        #[graphql(default_with = "Some(true)")]
        has_issues_enabled: Option<bool>,
        #[graphql(default_with = "Some(false)")]
        has_wiki_enabled: Option<bool>,
        homepage_url: Option<Uri>,
        name: String,
        owner_id: Option<ID>,
        visibility: RepositoryVisibility,
    }
    ArchiveRepositoryInput {
        repository_id: ID,
    }
    UnarchiveRepositoryInput {
        repository_id: ID,
    }
}

payloads! {
    CreateRepositoryPayload { repository: Repository }
    ArchiveRepositoryPayload { repository: Repository }
    UnarchiveRepositoryPayload { repository: Repository }
}

/// What `git init` is told for a repository that says nothing else.
const DEFAULT_BRANCH: &str = "main";

#[derive(Default)]
pub(super) struct Mutations;

#[Object]
impl Mutations {
    async fn create_repository(
        &self,
        ctx: &Context<'_>,
        input: CreateRepositoryInput,
    ) -> Payload<CreateRepositoryPayload> {
        Some(create(ctx, input).await)
    }

    async fn archive_repository(
        &self,
        ctx: &Context<'_>,
        input: ArchiveRepositoryInput,
    ) -> Payload<ArchiveRepositoryPayload> {
        let archived = set_archived(ctx, &input.repository_id, true).await;
        Some(archived.map(|repository| ArchiveRepositoryPayload {
            client_mutation_id: input.client_mutation_id,
            repository: Some(repository),
        }))
    }

    async fn unarchive_repository(
        &self,
        ctx: &Context<'_>,
        input: UnarchiveRepositoryInput,
    ) -> Payload<UnarchiveRepositoryPayload> {
        let restored = set_archived(ctx, &input.repository_id, false).await;
        Some(restored.map(|repository| UnarchiveRepositoryPayload {
            client_mutation_id: input.client_mutation_id,
            repository: Some(repository),
        }))
    }
}

async fn create(
    ctx: &Context<'_>,
    input: CreateRepositoryInput,
) -> Result<CreateRepositoryPayload> {
    let owner = match &input.owner_id {
        Some(id) => lookup::account(ctx, id)?,
        None => viewer(ctx)?.clone(),
    };
    let access = access(ctx);
    let owner = actions::owner_for(&access.app, &access.caller, &owner.login)?;
    let creation = Creation {
        name: input.name,
        description: input.description,
        private: input.visibility != RepositoryVisibility::Public,
        default_branch: DEFAULT_BRANCH.to_owned(),
        path: None,
    };
    let mut row = actions::create(&access.app, &owner, creation).await?;
    if input.has_issues_enabled == Some(false) {
        let edit = Edit {
            has_issues: Some(false),
            ..Edit::default()
        };
        row = actions::update(&access.app, &access.caller, &row, edit).await?;
    }
    Ok(CreateRepositoryPayload {
        client_mutation_id: input.client_mutation_id,
        repository: Some(Repository::new(row)),
    })
}

async fn set_archived(ctx: &Context<'_>, id: &ID, archived: bool) -> Result<Repository> {
    let repository = lookup::repository(ctx, id)?;
    let access = access(ctx);
    access.app.read(|connection| {
        access
            .caller
            .check(connection, &repository.0, Permission::Admin)
    })?;
    let edit = Edit {
        archived: Some(archived),
        ..Edit::default()
    };
    let row = actions::update(&access.app, &access.caller, &repository.0, edit).await?;
    Ok(Repository::new(row))
}
