//! Check runs.

use super::check_state::{CheckStatus, Progress};
use crate::store::prelude::*;

row! {
    /// One check of one commit. A job of the forge's own CI is one, too, under
    /// the same number.
    CheckRun by (_conn, row) {
        id: i64,
        suite_id: i64,
        /// The repository, the commit and the app are those of the suite.
        repository_id: i64,
        head_sha: String,
        app_id: i64,
        name: String,
        external_id: String,
        details_url: Option<String>,
        progress: Progress = Progress::from_row(row)?,
        started_at: Option<String>,
        completed_at: Option<String>,
        title: Option<String>,
        summary: Option<String>,
        text: Option<String>,
        annotations_count: i64,
        /// The run of a workflow that it is a job of.
        workflow_run_id: Option<i64>,
    }
}

pub(crate) struct NewCheckRun<'a> {
    pub(crate) suite_id: i64,
    pub(crate) name: &'a str,
    pub(crate) external_id: &'a str,
    pub(crate) details_url: Option<&'a str>,
    pub(crate) progress: Progress,
    pub(crate) started_at: Option<&'a str>,
    pub(crate) completed_at: Option<&'a str>,
}

/// Which check runs of a commit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RunFilter<'a> {
    pub(crate) name: Option<&'a str>,
    pub(crate) status: Option<CheckStatus>,
    pub(crate) app_id: Option<i64>,
    /// Also those that a newer one of the same name has replaced.
    pub(crate) replaced_too: bool,
}

const SELECT: &str = "SELECT check_runs.*, repository_id, head_sha, app_id,
    (SELECT count(*) FROM check_annotations WHERE check_run_id = check_runs.id) AS annotations_count,
    (SELECT run_id FROM workflow_jobs WHERE workflow_jobs.id = check_runs.id) AS workflow_run_id
    FROM check_runs JOIN check_suites ON check_suites.id = suite_id";

/// Nothing newer of the same name in the same suite.
const IS_LATEST: &str = "check_runs.id = (SELECT max(newer.id) FROM check_runs AS newer
    WHERE newer.suite_id = check_runs.suite_id AND newer.name = check_runs.name)";

inserts! {
    create(new: &NewCheckRun<'_>) into check_runs {
        suite_id: new.suite_id, name: new.name, external_id: new.external_id,
        details_url: new.details_url, status: new.progress.status(),
        conclusion: new.progress.conclusion(), started_at: new.started_at,
        completed_at: new.completed_at,
    }
}

sql! {
    /// Writes all that may change.
    run update(run: &CheckRun):
        "UPDATE check_runs
         SET name = ?, external_id = ?, details_url = ?, status = ?, conclusion = ?, started_at =
         ?, completed_at = ?, title = ?, summary = ?, text = ? WHERE id = ?",
        [run.name, run.external_id, run.details_url, run.progress.status(),
         run.progress.conclusion(), run.started_at, run.completed_at, run.title, run.summary,
         run.text, run.id];

    /// The buttons that the app offers.
    run set_actions(id: i64, actions: &str): "UPDATE check_runs SET actions = ?2 WHERE id = ?1";
    find by_id(id: i64) -> CheckRun: &format!("{SELECT} WHERE check_runs.id = ?");

    /// Oldest first.
    all for_commit(repository_id: i64, head_sha: &str, filter: RunFilter<'_>) -> CheckRun:
        &format!("{SELECT} WHERE repository_id = ?1 AND head_sha = ?2 AND (?3 IS NULL
         OR check_runs.name = ?3) AND (?4 IS NULL OR check_runs.status = ?4) AND (?5 IS NULL
         OR app_id = ?5) AND (?6 OR {IS_LATEST}) ORDER BY check_runs.id"),
        [repository_id, head_sha, filter.name, filter.status, filter.app_id, filter.replaced_too];

    /// Oldest first.
    all for_suite(suite_id: i64, filter: RunFilter<'_>) -> CheckRun:
        &format!("{SELECT} WHERE suite_id = ?1 AND (?2 IS NULL OR check_runs.name = ?2)
         AND (?3 IS NULL OR check_runs.status = ?3) AND (?4 OR {IS_LATEST})
         ORDER BY check_runs.id"), [suite_id, filter.name, filter.status, filter.replaced_too];
}

pub(crate) fn latest_of_suite(conn: &Connection, suite_id: i64) -> Rows<CheckRun> {
    for_suite(conn, suite_id, RunFilter::default())
}

sql! {
    one latest_count(suite_id: i64) -> i64:
        "SELECT count(DISTINCT name) FROM check_runs WHERE suite_id = ?";
}
