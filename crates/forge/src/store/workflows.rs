//! Workflows.

use crate::store::prelude::*;

row! {
    /// What runs belong to: a file with jobs, or whatever else is run again and
    /// again under one name.
    Workflow {
        id: i64,
        repository_id: i64,
        name: String,
        path: String,
        state: WorkflowState,
        created_at: String,
        updated_at: String,
    }
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
    tx: &Transaction<'_>,
    repository_id: i64,
    path: &str,
    name: &str,
    at: &str,
) -> rusqlite::Result<Workflow> {
    tx.prepare_cached(
        "INSERT INTO workflows (repository_id, path, name, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?4)
             ON CONFLICT DO UPDATE SET name = excluded.name, updated_at = excluded.updated_at
             WHERE name <> excluded.name",
    )?
    .execute(params![repository_id, path, name, at])?;
    tx.one(
        "SELECT * FROM workflows WHERE repository_id = ? AND path = ?",
        params![repository_id, path],
    )
}

sql! {
    find by_id(id: i64) -> Workflow: "SELECT * FROM workflows WHERE id = ?";

    /// Oldest first.
    all for_repository(repository_id: i64) -> Workflow:
        "SELECT * FROM workflows WHERE repository_id = ? ORDER BY id";
}
