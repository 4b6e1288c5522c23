//! Who may do what in a repository.

use super::Repository;
use crate::store::prelude::*;
use crate::store::users;

/// From least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Permission {
    None,
    Read,
    Triage,
    Write,
    Maintain,
    Admin,
}

impl Permission {
    pub(crate) fn parse(text: &str) -> Self {
        match text {
            "read" => Self::Read,
            "triage" => Self::Triage,
            "write" => Self::Write,
            "maintain" => Self::Maintain,
            "admin" => Self::Admin,
            _ => Self::None,
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Triage => "triage",
            Self::Write => "write",
            Self::Maintain => "maintain",
            Self::Admin => "admin",
        }
    }
}

/// What a user may do there; an owner and a site administrator may do all.
pub(crate) fn permission(
    conn: &Connection,
    repository: &Repository,
    user: Option<&User>,
) -> rusqlite::Result<Permission> {
    let everybody = if repository.private {
        Permission::None
    } else {
        Permission::Read
    };
    let Some(user) = user else {
        return Ok(everybody);
    };
    if user.site_admin || user.id == repository.owner.id {
        return Ok(Permission::Admin);
    }
    if users::is_organization_admin(conn, repository.owner.id, user.id)? {
        return Ok(Permission::Admin);
    }
    let everybody = if users::is_member(conn, repository.owner.id, user.id)? {
        Permission::Read
    } else {
        everybody
    };
    let given: Option<String> = conn.find(
        "SELECT permission FROM collaborators WHERE repository_id = ? AND user_id = ?",
        [repository.id, user.id],
    )?;
    Ok(given.map_or(everybody, |text| Permission::parse(&text).max(everybody)))
}

sql! {
    run set_collaborator(repository_id: i64, user_id: i64, permission: Permission):
        "INSERT INTO collaborators (repository_id, user_id, permission) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET permission = excluded.permission",
        [repository_id, user_id, permission.as_str()];
}

/// The owner, a member of the owning organisation, or someone who was added.
pub(crate) fn is_collaborator(
    conn: &Connection,
    repository: &Repository,
    user: &User,
) -> rusqlite::Result<bool> {
    if user.id == repository.owner.id || users::is_member(conn, repository.owner.id, user.id)? {
        return Ok(true);
    }
    conn.one(
        "SELECT EXISTS (SELECT * FROM collaborators WHERE repository_id = ? AND user_id = ?)",
        [repository.id, user.id],
    )
}

sql! {
    /// Those in which a user was given rights. Rights are the caller's business.
    all for_collaborator(user_id: i64) -> Repository:
        "SELECT repositories.* FROM repositories
         JOIN collaborators ON repository_id = repositories.id WHERE user_id = ? ORDER BY name";

    /// Who can be given an issue: the owner, members and collaborators, by id.
    all assignable(repository: &Repository) -> User:
        "SELECT * FROM users WHERE kind <> 'Organization' AND ( id = ?1 OR id IN (SELECT user_id
         FROM members WHERE organization_id = ?1) OR id IN (SELECT user_id FROM collaborators
         WHERE repository_id = ?2 AND permission <> 'read')) ORDER BY id",
        [repository.owner.id, repository.id];
}

/// How a user stands to a repository, in GitHub's word.
pub(crate) fn association(
    conn: &Connection,
    repository: &Repository,
    user: &User,
) -> rusqlite::Result<&'static str> {
    if user.id == repository.owner.id {
        return Ok("OWNER");
    }
    if users::is_member(conn, repository.owner.id, user.id)? {
        return Ok("MEMBER");
    }
    let is_collaborator = conn
        .prepare_cached("SELECT 1 FROM collaborators WHERE repository_id = ? AND user_id = ?")?
        .exists([repository.id, user.id])?;
    if is_collaborator {
        return Ok("COLLABORATOR");
    }
    // GitHub looks for commits in the default branch; a merged pull request is
    // how they get there.
    let has_merged = conn
        .prepare_cached(
            "SELECT 1 FROM pulls JOIN issues USING (id)
             WHERE repository_id = ? AND author_id = ? AND merged_at IS NOT NULL",
        )?
        .exists([repository.id, user.id])?;
    Ok(if has_merged { "CONTRIBUTOR" } else { "NONE" })
}
