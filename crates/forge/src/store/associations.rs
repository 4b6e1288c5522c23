use rusqlite::{Connection, OptionalExtension as _, params};

use crate::store::repositories::Repository;
use crate::store::text_enum::text_enum;
use crate::store::users;

text_enum! {
    /// What an author is to a repository, from most to least.
    Association {
        Owner = "OWNER",
        Member = "MEMBER",
        Collaborator = "COLLABORATOR",
        Contributor = "CONTRIBUTOR",
        None = "NONE",
    }
}

pub(crate) fn of(
    connection: &Connection,
    repository: &Repository,
    user_id: i64,
) -> rusqlite::Result<Association> {
    if repository.owner.id == user_id {
        return Ok(Association::Owner);
    }
    if users::is_member(connection, repository.owner.id, user_id)? {
        return Ok(Association::Member);
    }
    let exists = |sql: &str| -> rusqlite::Result<bool> {
        connection
            .prepare_cached(sql)?
            .query_row(params![repository.id, user_id], |_| Ok(()))
            .optional()
            .map(|found| found.is_some())
    };
    if exists("SELECT 1 FROM collaborators WHERE repository_id = ? AND user_id = ?")? {
        return Ok(Association::Collaborator);
    }
    // GitHub looks for commits in the default branch; a merged pull request is
    // how they get there.
    let has_merged = exists(
        "SELECT 1 FROM pulls JOIN issues USING (id)
         WHERE repository_id = ? AND author_id = ? AND merged_at IS NOT NULL",
    )?;
    Ok(if has_merged {
        Association::Contributor
    } else {
        Association::None
    })
}
