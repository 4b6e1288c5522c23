use rusqlite::{Connection, Transaction, params};

/// A merge that was decided and may have moved the base branch already.
#[derive(Debug, Clone)]
pub(crate) struct MergeUnderWay {
    pub(crate) pull_id: i64,
    pub(crate) commit_sha: String,
    pub(crate) merged_by: i64,
}

pub(crate) fn begin(transaction: &Transaction<'_>, merge: &MergeUnderWay) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO merges_under_way (pull_id, commit_sha, merged_by)
             VALUES (?, ?, ?)",
        )?
        .execute(params![merge.pull_id, merge.commit_sha, merge.merged_by])
        .map(drop)
}

pub(crate) fn end(transaction: &Transaction<'_>, pull_id: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM merges_under_way WHERE pull_id = ?")?
        .execute([pull_id])
        .map(drop)
}

pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<MergeUnderWay>> {
    connection
        .prepare_cached("SELECT * FROM merges_under_way ORDER BY pull_id")?
        .query_map([], |row| {
            Ok(MergeUnderWay {
                pull_id: row.get("pull_id")?,
                commit_sha: row.get("commit_sha")?,
                merged_by: row.get("merged_by")?,
            })
        })?
        .collect()
}
