//! The repositories of an account.

use async_graphql::{Context, Result};

use super::{Repository, RepositoryConnection};
use crate::error::ApiError;
use crate::graphql::access::{access, read};
use crate::graphql::connection::Connection;
use crate::graphql::enums::{
    RepositoryAffiliation, RepositoryOrder, RepositoryOrderField, RepositoryPrivacy,
    RepositoryVisibility,
};
use crate::graphql::page::Page;
use crate::store::repositories::{self, Permission};
use crate::store::users::User;

#[derive(Default)]
pub(super) struct RepositoryFilter {
    pub(super) privacy: Option<RepositoryPrivacy>,
    pub(super) visibility: Option<RepositoryVisibility>,
    pub(super) affiliations: Option<Vec<Option<RepositoryAffiliation>>>,
    pub(super) is_fork: Option<bool>,
    pub(super) is_archived: Option<bool>,
}

impl RepositoryFilter {
    fn fits(&self, row: &repositories::Repository) -> bool {
        let privacy_fits = self
            .privacy
            .is_none_or(|privacy| (privacy == RepositoryPrivacy::Private) == row.private);
        let visibility_fits = self
            .visibility
            .is_none_or(|wanted| (wanted == RepositoryVisibility::Private) == row.private);
        privacy_fits
            && visibility_fits
            && self
                .is_fork
                .is_none_or(|fork| fork == row.fork_of.is_some())
            && self
                .is_archived
                .is_none_or(|archived| archived == row.archived)
    }

    /// GitHub's default is both.
    fn wants(&self, affiliation: RepositoryAffiliation) -> bool {
        match &self.affiliations {
            Some(affiliations) => affiliations.contains(&Some(affiliation)),
            None => affiliation != RepositoryAffiliation::OrganizationMember,
        }
    }
}

/// Those of the account, and those that it may change, as far as the caller
/// may see them.
pub(super) fn repositories_of(
    ctx: &Context<'_>,
    page: &Page,
    account: &User,
    filter: &RepositoryFilter,
    order: Option<RepositoryOrder>,
) -> Result<RepositoryConnection, ApiError> {
    let caller = &access(ctx).caller;
    let mut rows = read(ctx, |connection| {
        let mut rows = Vec::new();
        if filter.wants(RepositoryAffiliation::Owner) {
            rows.extend(repositories::of_owner(connection, account.id)?);
        }
        if filter.wants(RepositoryAffiliation::Collaborator) {
            rows.extend(repositories::of_collaborator(connection, account.id)?);
        }
        rows.retain(|row| filter.fits(row));
        let mut visible = Vec::new();
        for row in rows {
            if caller.permission(connection, &row)? >= Permission::Read {
                visible.push(row);
            }
        }
        Ok(visible)
    })?;
    rows.sort_by_key(|row| row.id);
    if let Some(order) = order {
        sort(&mut rows, order);
    }
    Ok(Connection::of(page, rows, |row| row.id, Repository::new))
}

/// Of a repository. `own` are those of the caller, and those that they may
/// change.
pub(super) fn forks_of(
    ctx: &Context<'_>,
    page: &Page,
    repository: &repositories::Repository,
    own: bool,
    order: Option<RepositoryOrder>,
) -> Result<RepositoryConnection, ApiError> {
    let caller = &access(ctx).caller;
    let needed = if own {
        Permission::Write
    } else {
        Permission::Read
    };
    let mut rows = read(ctx, |connection| {
        let mut visible = Vec::new();
        for row in repositories::forks_of(connection, repository.id)? {
            if caller.permission(connection, &row)? >= needed {
                visible.push(row);
            }
        }
        Ok(visible)
    })?;
    if let Some(order) = order {
        sort(&mut rows, order);
    }
    Ok(Connection::of(page, rows, |row| row.id, Repository::new))
}

fn sort(rows: &mut [repositories::Repository], order: RepositoryOrder) {
    match order.field {
        RepositoryOrderField::CreatedAt => {
            rows.sort_by(|one, other| one.created_at.cmp(&other.created_at));
        }
        RepositoryOrderField::UpdatedAt => {
            rows.sort_by(|one, other| one.updated_at.cmp(&other.updated_at));
        }
        RepositoryOrderField::PushedAt => {
            rows.sort_by(|one, other| one.pushed_at.cmp(&other.pushed_at));
        }
        RepositoryOrderField::Name => rows.sort_by_key(|row| row.name.to_lowercase()),
        // Nobody can star anything here: all are equal.
        RepositoryOrderField::Stargazers => {}
    }
    if order.is_descending() {
        rows.reverse();
    }
}
