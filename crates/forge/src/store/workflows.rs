use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use super::text_enum::text_enum;

/// What runs belong to: a file with jobs, or whatever else is run again and
/// again under one name.
#[derive(Debug, Clone)]
pub(crate) struct Workflow {
    pub(crate) id: i64,
    pub(crate) repository_id: i64,
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) state: WorkflowState,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
}

text_enum! {
    WorkflowState {
        Active = "active",
        DisabledManually = "disabled_manually",
    }
}

impl Workflow {
    /// `ci.yml` of `.github/workflows/ci.yml`, which may stand for the number
    /// in addresses.
    pub(crate) fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// The workflow at this path, made or renamed as needed.
pub(crate) fn at_path(
    transaction: &Transaction<'_>,
    repository_id: i64,
    path: &str,
    name: &str,
    at: &str,
) -> rusqlite::Result<Workflow> {
    transaction
        .prepare_cached(
            "INSERT INTO workflows (repository_id, path, name, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?4)
             ON CONFLICT DO UPDATE SET name = excluded.name, updated_at = excluded.updated_at
             WHERE name <> excluded.name",
        )?
        .execute(params![repository_id, path, name, at])?;
    transaction
        .prepare_cached("SELECT * FROM workflows WHERE repository_id = ? AND path = ?")?
        .query_row(params![repository_id, path], from_row)
}

pub(crate) fn by_id(connection: &Connection, id: i64) -> rusqlite::Result<Option<Workflow>> {
    connection
        .prepare_cached("SELECT * FROM workflows WHERE id = ?")?
        .query_row([id], from_row)
        .optional()
}

/// Oldest first.
pub(crate) fn of_repository(
    connection: &Connection,
    repository_id: i64,
) -> rusqlite::Result<Vec<Workflow>> {
    connection
        .prepare_cached("SELECT * FROM workflows WHERE repository_id = ? ORDER BY id")?
        .query_map([repository_id], from_row)?
        .collect()
}

pub(crate) fn set_state(
    transaction: &Transaction<'_>,
    id: i64,
    state: WorkflowState,
    at: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE workflows SET state = ?, updated_at = ? WHERE id = ?")?
        .execute(params![state, at, id])
        .map(drop)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Workflow> {
    Ok(Workflow {
        id: row.get("id")?,
        repository_id: row.get("repository_id")?,
        name: row.get("name")?,
        path: row.get("path")?,
        state: row.get("state")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
