use async_graphql::Enum;

use crate::store::repositories::Permission;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum GitSignatureState {
    UnknownKey,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum RepositoryAffiliation {
    Owner,
    Collaborator,
    OrganizationMember,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum RepositoryPermission {
    Admin,
    Maintain,
    Write,
    Triage,
    Read,
}

impl RepositoryPermission {
    pub(in crate::graphql) fn of(permission: Permission) -> Option<Self> {
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
pub(in crate::graphql) enum RepositoryPrivacy {
    Public,
    Private,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum RepositoryVisibility {
    Private,
    Public,
    Internal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum SearchType {
    Issue,
    Repository,
    User,
    Discussion,
}
