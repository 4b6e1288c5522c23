//! Repositories.

mod forks;
mod rights;

use crate::store::prelude::*;
use crate::store::users;

pub(crate) use forks::{fork_count, fork_of_owner, forks_of, network};
pub(crate) use rights::{
    Permission, assignable, association, for_collaborator, is_collaborator, permission,
    set_collaborator,
};

row! {
    Repository by (conn, row) {
        id: i64,
        owner: User = users::by_id(conn, row.get("owner_id")?)?,
        name: String,
        description: Option<String>,
        private: bool,
        archived: bool,
        suspended: Option<String>,
        has_issues: bool,
        default_branch: String,
        allow_merge_commit: bool,
        allow_squash_merge: bool,
        allow_rebase_merge: bool,
        allow_auto_merge: bool,
        allow_update_branch: bool,
        delete_branch_on_merge: bool,
        /// `PR_TITLE` or `COMMIT_OR_PR_TITLE`.
        squash_merge_commit_title: String,
        /// `PR_BODY`, `COMMIT_MESSAGES` or `BLANK`.
        squash_merge_commit_message: String,
        /// `PR_TITLE` or `MERGE_MESSAGE`.
        merge_commit_title: String,
        /// `PR_BODY`, `PR_TITLE` or `BLANK`.
        merge_commit_message: String,
        fork_of: Option<i64>,
        path: Option<String>,
        check_command: Option<String>,
        /// Whether the commands of a pushed checks file are executed.
        pushed_checks: bool,
        created_at: String,
        updated_at: String,
        pushed_at: Option<String>,
    }
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

inserts! {
    create(new: &NewRepository<'_>) into repositories {
        owner_id: new.owner_id, name: new.name, description: new.description, private: new.private,
        default_branch: new.default_branch, fork_of: new.fork_of, path: new.path,
        created_at: new.at, updated_at: new.at,
    }
}

sql! {
    one by_id(id: i64) -> Repository: "SELECT * FROM repositories WHERE id = ?";
    find by_name(owner: &str, name: &str) -> Repository:
        "SELECT repositories.* FROM repositories JOIN users ON users.id = owner_id
         WHERE users.login = ? AND repositories.name = ?";

    /// The repository that once had this name.
    find by_old_name(owner: &str, name: &str) -> Repository:
        "SELECT repositories.* FROM repository_redirects AS old
         JOIN users ON users.id = old.owner_id
         JOIN repositories ON repositories.id = repository_id WHERE users.login = ?
         AND old.name = ?";

    /// Writes back what its settings page offers.
    run update(repository: &Repository):
        "UPDATE repositories
         SET name = ?2, description = ?3, private = ?4, archived = ?5, has_issues = ?6,
         default_branch = ?7, allow_merge_commit = ?8, allow_squash_merge = ?9,
         allow_rebase_merge = ?10, allow_auto_merge = ?11, allow_update_branch = ?12,
         delete_branch_on_merge = ?13, squash_merge_commit_title = ?14,
         squash_merge_commit_message = ?15, merge_commit_title = ?16, merge_commit_message = ?17,
         updated_at = ?18 WHERE id = ?1",
        [repository.id, repository.name, repository.description, repository.private,
         repository.archived, repository.has_issues, repository.default_branch,
         repository.allow_merge_commit, repository.allow_squash_merge,
         repository.allow_rebase_merge, repository.allow_auto_merge, repository.allow_update_branch,
         repository.delete_branch_on_merge, repository.squash_merge_commit_title,
         repository.squash_merge_commit_message, repository.merge_commit_title,
         repository.merge_commit_message, repository.updated_at];

    /// From now on the old name leads to the new one.
    run remember_old_name(repository: &Repository, old: &str):
        "INSERT INTO repository_redirects (owner_id, name, repository_id) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET repository_id = excluded.repository_id",
        [repository.owner.id, old, repository.id];

    /// By name. Rights are the caller's business.
    all for_owner(owner_id: i64) -> Repository:
        "SELECT * FROM repositories WHERE owner_id = ? ORDER BY name";

    /// All of the forge, oldest first. Rights are the caller's business.
    all all() -> Repository: "SELECT * FROM repositories ORDER BY id";
    run set_pushed_at(id: i64, at: &str): "UPDATE repositories SET pushed_at = ?2 WHERE id = ?1";
    run set_check_command(id: i64, command: Option<&str>):
        "UPDATE repositories SET check_command = ?2 WHERE id = ?1";
    run set_pushed_checks(id: i64, enabled: bool):
        "UPDATE repositories SET pushed_checks = ?2 WHERE id = ?1";
    run set_suspended(id: i64, reason: Option<&str>):
        "UPDATE repositories SET suspended = ?2 WHERE id = ?1";

    /// With everything that belongs to it, except its folder.
    run delete(id: i64): "DELETE FROM repositories WHERE id = ?";

    /// A new repository takes over a name that one had before.
    run forget_old_name(owner_id: i64, name: &str):
        "DELETE FROM repository_redirects WHERE owner_id = ? AND name = ?";
}
