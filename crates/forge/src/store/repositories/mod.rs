//! Repositories.

mod forks;
mod rights;

use rusqlite::{Connection, Transaction, params};

use crate::store::select::{Found, Rows, Select as _, from_row, insert};
use crate::store::users::{self, User};

pub(crate) use forks::{fork_count, fork_of_owner, forks_of, network};
pub(crate) use rights::{
    Permission, assignable, association, for_collaborator, is_collaborator, permission,
    set_collaborator,
};

#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are the switches of GitHub's repository settings"
)]
pub(crate) struct Repository {
    pub(crate) id: i64,
    pub(crate) owner: User,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) private: bool,
    pub(crate) archived: bool,
    pub(crate) suspended: Option<String>,
    pub(crate) has_issues: bool,
    pub(crate) default_branch: String,
    pub(crate) allow_merge_commit: bool,
    pub(crate) allow_squash_merge: bool,
    pub(crate) allow_rebase_merge: bool,
    pub(crate) allow_auto_merge: bool,
    pub(crate) allow_update_branch: bool,
    pub(crate) delete_branch_on_merge: bool,
    /// `PR_TITLE` or `COMMIT_OR_PR_TITLE`.
    pub(crate) squash_merge_commit_title: String,
    /// `PR_BODY`, `COMMIT_MESSAGES` or `BLANK`.
    pub(crate) squash_merge_commit_message: String,
    /// `PR_TITLE` or `MERGE_MESSAGE`.
    pub(crate) merge_commit_title: String,
    /// `PR_BODY`, `PR_TITLE` or `BLANK`.
    pub(crate) merge_commit_message: String,
    pub(crate) fork_of: Option<i64>,
    pub(crate) path: Option<String>,
    pub(crate) check_command: Option<String>,
    /// Whether the commands of a pushed checks file are executed.
    pub(crate) pushed_checks: bool,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
    pub(crate) pushed_at: Option<String>,
}

impl Repository {
    pub(crate) fn full_name(&self) -> String {
        format!("{}/{}", self.owner.login, self.name)
    }
}

pub(crate) struct NewRepository<'a> {
    pub(crate) owner_id: i64,
    pub(crate) name: &'a str,
    pub(crate) description: Option<&'a str>,
    pub(crate) private: bool,
    pub(crate) default_branch: &'a str,
    pub(crate) fork_of: Option<i64>,
    pub(crate) path: Option<&'a str>,
    pub(crate) at: &'a str,
}

pub(crate) fn create(tx: &Transaction<'_>, new: &NewRepository<'_>) -> rusqlite::Result<i64> {
    insert!(tx => repositories {
        owner_id: new.owner_id, name: new.name, description: new.description,
        private: new.private, default_branch: new.default_branch, fork_of: new.fork_of,
        path: new.path, created_at: new.at, updated_at: new.at,
    })
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Repository> {
    conn.one("SELECT * FROM repositories WHERE id = ?", [id])
}

pub(crate) fn by_name(conn: &Connection, owner: &str, name: &str) -> Found<Repository> {
    conn.find(
        "SELECT repositories.* FROM repositories JOIN users ON users.id = owner_id
             WHERE users.login = ? AND repositories.name = ?",
        [owner, name],
    )
}

/// The repository that once had this name.
pub(crate) fn by_old_name(conn: &Connection, owner: &str, name: &str) -> Found<Repository> {
    conn.find(
        "SELECT repositories.* FROM repository_redirects AS old
             JOIN users ON users.id = old.owner_id
             JOIN repositories ON repositories.id = repository_id
             WHERE users.login = ? AND old.name = ?",
        [owner, name],
    )
}

/// Writes back what its settings page offers.
pub(crate) fn update(tx: &Transaction<'_>, repository: &Repository) -> rusqlite::Result<()> {
    tx.run(
        "UPDATE repositories SET name = ?2, description = ?3, private = ?4, archived = ?5,
             has_issues = ?6, default_branch = ?7, allow_merge_commit = ?8, allow_squash_merge = ?9,
             allow_rebase_merge = ?10, allow_auto_merge = ?11, allow_update_branch = ?12,
             delete_branch_on_merge = ?13, squash_merge_commit_title = ?14,
             squash_merge_commit_message = ?15, merge_commit_title = ?16,
             merge_commit_message = ?17, updated_at = ?18
             WHERE id = ?1",
        params![
            repository.id,
            repository.name,
            repository.description,
            repository.private,
            repository.archived,
            repository.has_issues,
            repository.default_branch,
            repository.allow_merge_commit,
            repository.allow_squash_merge,
            repository.allow_rebase_merge,
            repository.allow_auto_merge,
            repository.allow_update_branch,
            repository.delete_branch_on_merge,
            repository.squash_merge_commit_title,
            repository.squash_merge_commit_message,
            repository.merge_commit_title,
            repository.merge_commit_message,
            repository.updated_at,
        ],
    )
}

/// From now on the old name leads to the new one.
pub(crate) fn remember_old_name(
    tx: &Transaction<'_>,
    repository: &Repository,
    old: &str,
) -> rusqlite::Result<()> {
    tx.run(
        "INSERT INTO repository_redirects (owner_id, name, repository_id) VALUES (?, ?, ?)
             ON CONFLICT DO UPDATE SET repository_id = excluded.repository_id",
        params![repository.owner.id, old, repository.id],
    )
}

/// By name. Rights are the caller's business.
pub(crate) fn for_owner(conn: &Connection, owner_id: i64) -> Rows<Repository> {
    conn.all(
        "SELECT * FROM repositories WHERE owner_id = ? ORDER BY name",
        [owner_id],
    )
}

/// All of the forge, oldest first. Rights are the caller's business.
pub(crate) fn all(conn: &Connection) -> Rows<Repository> {
    conn.all("SELECT * FROM repositories ORDER BY id", [])
}

pub(crate) fn set_pushed_at(tx: &Transaction<'_>, id: i64, at: &str) -> rusqlite::Result<()> {
    tx.run(
        "UPDATE repositories SET pushed_at = ?1 WHERE id = ?2",
        params![at, id],
    )
}

pub(crate) fn set_check_command(
    tx: &Transaction<'_>,
    id: i64,
    command: Option<&str>,
) -> rusqlite::Result<()> {
    tx.run(
        "UPDATE repositories SET check_command = ?1 WHERE id = ?2",
        params![command, id],
    )
}

pub(crate) fn set_pushed_checks(
    tx: &Transaction<'_>,
    id: i64,
    enabled: bool,
) -> rusqlite::Result<()> {
    tx.run(
        "UPDATE repositories SET pushed_checks = ?1 WHERE id = ?2",
        params![enabled, id],
    )
}

pub(crate) fn set_suspended(
    tx: &Transaction<'_>,
    id: i64,
    reason: Option<&str>,
) -> rusqlite::Result<()> {
    tx.run(
        "UPDATE repositories SET suspended = ?1 WHERE id = ?2",
        params![reason, id],
    )
}

/// With everything that belongs to it, except its folder.
pub(crate) fn delete(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    tx.run("DELETE FROM repositories WHERE id = ?", [id])
}

/// A new repository takes over a name that one had before.
pub(crate) fn forget_old_name(
    tx: &Transaction<'_>,
    owner_id: i64,
    name: &str,
) -> rusqlite::Result<()> {
    tx.run(
        "DELETE FROM repository_redirects WHERE owner_id = ? AND name = ?",
        params![owner_id, name],
    )
}

from_row! {
    (conn, row) => Repository {
        id, name, description, private, archived, suspended, has_issues, default_branch,
        allow_merge_commit, allow_squash_merge, allow_rebase_merge, allow_auto_merge,
        allow_update_branch, delete_branch_on_merge, squash_merge_commit_title,
        squash_merge_commit_message, merge_commit_title, merge_commit_message, fork_of, path,
        check_command, pushed_checks, created_at, updated_at, pushed_at;
        owner: users::by_id(conn, row.get("owner_id")?)?,
    }
}
