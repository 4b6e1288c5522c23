//! Check suites.

use super::check_state::Progress;
use crate::store::prelude::*;

row! {
    /// What one app has to say about one commit.
    CheckSuite by (_conn, row) {
        id: i64,
        repository_id: i64,
        app_id: i64,
        head_branch: Option<String>,
        head_sha: String,
        before_sha: Option<String>,
        progress: Progress = Progress::from_row(row)?,
        created_at: String,
        updated_at: String,
    }
}

pub(crate) struct NewCheckSuite<'a> {
    pub(crate) repository_id: i64,
    pub(crate) app_id: i64,
    pub(crate) head_branch: Option<&'a str>,
    pub(crate) head_sha: &'a str,
    pub(crate) before_sha: Option<&'a str>,
    pub(crate) at: &'a str,
}

/// Which suites of a commit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SuiteFilter<'a> {
    pub(crate) app_id: Option<i64>,
    /// Only those with a check run of this name.
    pub(crate) check_name: Option<&'a str>,
}

inserts! {
    create(new: &NewCheckSuite<'_>) into check_suites {
        repository_id: new.repository_id, app_id: new.app_id, head_branch: new.head_branch,
        head_sha: new.head_sha, before_sha: new.before_sha, status: Progress::QUEUED.status(),
        created_at: new.at, updated_at: new.at,
    }
}

sql! {
    find by_id(id: i64) -> CheckSuite: "SELECT * FROM check_suites WHERE id = ?";

    /// An app that is not the forge's own CI has one suite per commit.
    find for_app(repository_id: i64, head_sha: &str, app_id: i64) -> CheckSuite:
        "SELECT * FROM check_suites WHERE repository_id = ? AND head_sha = ? AND app_id = ?";

    /// Oldest first.
    all for_commit(repository_id: i64, head_sha: &str, filter: SuiteFilter<'_>) -> CheckSuite:
        "SELECT * FROM check_suites WHERE repository_id = ?1 AND head_sha = ?2 AND (?3 IS NULL
         OR app_id = ?3) AND (?4 IS NULL OR EXISTS (SELECT 1 FROM check_runs
         WHERE suite_id = check_suites.id AND name = ?4)) ORDER BY id",
        [repository_id, head_sha, filter.app_id, filter.check_name];
    run set_progress(id: i64, progress: Progress, at: &str):
        "UPDATE check_suites SET status = ?, conclusion = ?, updated_at = ? WHERE id = ?",
        [progress.status(), progress.conclusion(), at, id];
}
