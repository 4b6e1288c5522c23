//! Artifacts of workflow runs.

use crate::store::prelude::*;

row! {
    /// Files that a run left behind, as one zip.
    Artifact {
        id: i64,
        run_id: i64,
        /// The repository, the branch and the commit are those of the run.
        repository_id: i64,
        head_repository_id: Option<i64>,
        head_branch: Option<String>,
        head_sha: String,
        name: String,
        size: i64,
        sha256: String,
        created_at: String,
        expires_at: String,
    }
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

inserts! {
    create(new: &NewArtifact<'_>) into artifacts {
        run_id: new.run_id, name: new.name, size: new.size, sha256: new.sha256, created_at: new.at,
        expires_at: new.expires_at,
    }
}

sql! {
    find by_id(id: i64) -> Artifact: &format!("{SELECT} WHERE artifacts.id = ?");

    /// Oldest first.
    all for_run(run_id: i64, name: Option<&str>) -> Artifact:
        &format!("{SELECT} WHERE run_id = ?1 AND (?2 IS NULL OR artifacts.name = ?2)
         ORDER BY artifacts.id");
}
