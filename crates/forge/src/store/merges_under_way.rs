//! Merges that have begun and are not recorded yet.

use crate::store::prelude::*;

row! {
    /// A merge that was decided and may have moved the base branch already.
    MergeUnderWay {
        pull_id: i64,
        commit_sha: String,
        merged_by: i64,
    }
}

sql! {
    run begin(merge: &MergeUnderWay):
        "INSERT OR REPLACE INTO merges_under_way (pull_id, commit_sha, merged_by)
         VALUES (?, ?, ?)", [merge.pull_id, merge.commit_sha, merge.merged_by];
    run end(pull_id: i64): "DELETE FROM merges_under_way WHERE pull_id = ?";
    all all() -> MergeUnderWay: "SELECT * FROM merges_under_way ORDER BY pull_id";
}
