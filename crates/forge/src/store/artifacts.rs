use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

/// Files that a run left behind, as one zip.
#[derive(Debug, Clone)]
pub(crate) struct Artifact {
    pub(crate) id: i64,
    pub(crate) run_id: i64,
    /// The repository, the branch and the commit are those of the run.
    pub(crate) repository_id: i64,
    pub(crate) head_repository_id: Option<i64>,
    pub(crate) head_branch: Option<String>,
    pub(crate) head_sha: String,
    pub(crate) name: String,
    pub(crate) size: i64,
    pub(crate) sha256: String,
    pub(crate) created_at: String,
    pub(crate) expires_at: String,
}

pub(crate) struct NewArtifact<'a> {
    pub(crate) run_id: i64,
    pub(crate) name: &'a str,
    pub(crate) size: i64,
    pub(crate) sha256: &'a str,
    pub(crate) at: &'a str,
    pub(crate) expires_at: &'a str,
}

const SELECT: &str = "SELECT artifacts.*, check_suites.repository_id, head_repository_id,
    head_branch, head_sha
    FROM artifacts
    JOIN workflow_runs ON workflow_runs.id = run_id
    JOIN check_suites ON check_suites.id = suite_id";

pub(crate) fn create(
    transaction: &Transaction<'_>,
    new: &NewArtifact<'_>,
) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached(
            "INSERT INTO artifacts (run_id, name, size, sha256, created_at, expires_at)
             VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .insert(params![
            new.run_id,
            new.name,
            new.size,
            new.sha256,
            new.at,
            new.expires_at,
        ])
}

pub(crate) fn by_id(connection: &Connection, id: i64) -> rusqlite::Result<Option<Artifact>> {
    connection
        .prepare_cached(&format!("{SELECT} WHERE artifacts.id = ?"))?
        .query_row([id], from_row)
        .optional()
}

/// Newest first.
pub(crate) fn of_repository(
    connection: &Connection,
    repository_id: i64,
    name: Option<&str>,
) -> rusqlite::Result<Vec<Artifact>> {
    connection
        .prepare_cached(&format!(
            "{SELECT} WHERE check_suites.repository_id = ?1 AND (?2 IS NULL OR artifacts.name = ?2)
             ORDER BY artifacts.id DESC"
        ))?
        .query_map(params![repository_id, name], from_row)?
        .collect()
}

/// Oldest first.
pub(crate) fn of_run(
    connection: &Connection,
    run_id: i64,
    name: Option<&str>,
) -> rusqlite::Result<Vec<Artifact>> {
    connection
        .prepare_cached(&format!(
            "{SELECT} WHERE run_id = ?1 AND (?2 IS NULL OR artifacts.name = ?2)
             ORDER BY artifacts.id"
        ))?
        .query_map(params![run_id, name], from_row)?
        .collect()
}

pub(crate) fn delete(transaction: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM artifacts WHERE id = ?")?
        .execute([id])
        .map(drop)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Artifact> {
    Ok(Artifact {
        id: row.get("id")?,
        run_id: row.get("run_id")?,
        repository_id: row.get("repository_id")?,
        head_repository_id: row.get("head_repository_id")?,
        head_branch: row.get("head_branch")?,
        head_sha: row.get("head_sha")?,
        name: row.get("name")?,
        size: row.get("size")?,
        sha256: row.get("sha256")?,
        created_at: row.get("created_at")?,
        expires_at: row.get("expires_at")?,
    })
}
