//! GitHub's enums and the orders of its lists.

use async_graphql::{Enum, InputObject};

use crate::store::repositories::Permission;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum OrderDirection {
    Asc,
    Desc,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum RepositoryPermission {
    Admin,
    Maintain,
    Write,
    Triage,
    Read,
}

impl RepositoryPermission {
    pub(super) fn of(permission: Permission) -> Option<Self> {
        match permission {
            Permission::None => None,
            Permission::Read => Some(Self::Read),
            Permission::Triage => Some(Self::Triage),
            Permission::Write => Some(Self::Write),
            Permission::Maintain => Some(Self::Maintain),
            Permission::Admin => Some(Self::Admin),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum RepositoryVisibility {
    Private,
    Public,
    Internal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum RepositoryPrivacy {
    Public,
    Private,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum RepositoryAffiliation {
    Owner,
    Collaborator,
    OrganizationMember,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum RepositoryOrderField {
    CreatedAt,
    UpdatedAt,
    PushedAt,
    Name,
    Stargazers,
}

#[derive(Debug, Clone, Copy, InputObject)]
pub(super) struct RepositoryOrder {
    pub(super) field: RepositoryOrderField,
    pub(super) direction: OrderDirection,
}
