//! Merges that have begun and are not recorded yet.

use crate::store::prelude::*;

/// A merge that was decided and may have moved the base branch already.
#[derive(Debug, Clone)]
pub(crate) struct MergeUnderWay {
    pub(crate) pull_id: i64,
    pub(crate) commit_sha: String,
    pub(crate) merged_by: i64,
}

sql! {
    run begin(merge: &MergeUnderWay):
        "INSERT OR REPLACE INTO merges_under_way (pull_id, commit_sha, merged_by)
         VALUES (?, ?, ?)", [merge.pull_id, merge.commit_sha, merge.merged_by];
    run end(pull_id: i64): "DELETE FROM merges_under_way WHERE pull_id = ?";
}

pub(crate) fn all(conn: &Connection) -> Rows<MergeUnderWay> {
    conn.all_with(
        "SELECT * FROM merges_under_way ORDER BY pull_id",
        [],
        |row| {
            Ok(MergeUnderWay {
                pull_id: row.get("pull_id")?,
                commit_sha: row.get("commit_sha")?,
                merged_by: row.get("merged_by")?,
            })
        },
    )
}
