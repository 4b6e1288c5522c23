//! Deployments and their statuses.

use rusqlite::types::ToSql;
use serde_json::Value;

use crate::store::prelude::*;
use crate::store::users;

row! {
    Deployment by (conn, row) {
        id: i64,
        sha: String,
        /// As it was asked for: a branch, a tag or a commit.
        ref_name: String = row.get("ref")?,
        task: String,
        payload: Value = json_column(row, "payload")?.unwrap_or_default(),
        environment: String,
        description: Option<String>,
        transient_environment: bool,
        production_environment: bool,
        creator: User = users::by_id(conn, row.get("creator_id")?)?,
        created_at: String,
        updated_at: String,
    }
}

row! {
    DeploymentStatus by (conn, row) {
        id: i64,
        deployment_id: i64,
        state: DeploymentState,
        description: String,
        environment: String,
        environment_url: String,
        log_url: String,
        creator: User = users::by_id(conn, row.get("creator_id")?)?,
        created_at: String,
    }
}

text_enum! {
    DeploymentState {
        Error = "error",
        Failure = "failure",
        Inactive = "inactive",
        Pending = "pending",
        Success = "success",
        Queued = "queued",
        InProgress = "in_progress",
    }
}

pub(crate) struct NewDeployment<'a> {
    pub(crate) repository_id: i64,
    pub(crate) sha: &'a str,
    pub(crate) ref_name: &'a str,
    pub(crate) task: &'a str,
    pub(crate) payload: &'a Value,
    pub(crate) environment: &'a str,
    pub(crate) description: Option<&'a str>,
    pub(crate) transient_environment: bool,
    pub(crate) production_environment: bool,
    pub(crate) creator_id: i64,
    pub(crate) at: &'a str,
}

inserts! {
    create(new: &NewDeployment<'_>) into deployments {
        repository_id: new.repository_id, sha: new.sha, ref: new.ref_name, task: new.task,
        payload: new.payload.to_string(), environment: new.environment,
        description: new.description, transient_environment: new.transient_environment,
        production_environment: new.production_environment, creator_id: new.creator_id,
        created_at: new.at, updated_at: new.at,
    }
}

sql! {
    find by_id(repository_id: i64, id: i64) -> Deployment:
        "SELECT * FROM deployments WHERE repository_id = ? AND id = ?";
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    pub(crate) sha: Option<String>,
    pub(crate) ref_name: Option<String>,
    pub(crate) task: Option<String>,
    pub(crate) environment: Option<String>,
}

/// Newest first.
pub(crate) fn list(conn: &Connection, repository_id: i64, filter: &Filter) -> Rows<Deployment> {
    let mut sql = "SELECT * FROM deployments WHERE repository_id = ?".to_owned();
    let mut values: Vec<&dyn ToSql> = vec![&repository_id];
    for (condition, value) in [
        (" AND sha = ?", &filter.sha),
        (" AND ref = ?", &filter.ref_name),
        (" AND task = ?", &filter.task),
        (" AND environment = ?", &filter.environment),
    ] {
        if let Some(value) = value {
            sql.push_str(condition);
            values.push(value);
        }
    }
    sql.push_str(" ORDER BY id DESC");
    conn.all(&sql, values.as_slice())
}

pub(crate) struct NewStatus<'a> {
    pub(crate) deployment_id: i64,
    pub(crate) state: DeploymentState,
    pub(crate) description: &'a str,
    pub(crate) environment: &'a str,
    pub(crate) environment_url: &'a str,
    pub(crate) log_url: &'a str,
    pub(crate) creator_id: i64,
    pub(crate) at: &'a str,
}

pub(crate) fn add_status(tx: &Transaction<'_>, new: &NewStatus<'_>) -> rusqlite::Result<i64> {
    tx.prepare_cached("UPDATE deployments SET updated_at = ? WHERE id = ?")?
        .execute(params![new.at, new.deployment_id])?;
    insert!(tx => deployment_statuses {
        deployment_id: new.deployment_id, state: new.state, description: new.description,
        environment: new.environment, environment_url: new.environment_url, log_url: new.log_url,
        creator_id: new.creator_id, created_at: new.at,
    })
}

sql! {
    /// Newest first.
    find status_by_id(id: i64) -> DeploymentStatus:
        "SELECT * FROM deployment_statuses WHERE id = ?";
    all statuses(deployment_id: i64) -> DeploymentStatus:
        "SELECT * FROM deployment_statuses WHERE deployment_id = ? ORDER BY id DESC";

    /// Whether this commit was deployed there with success.
    one succeeded(repository_id: i64, sha: &str, environment: &str) -> bool:
        "SELECT EXISTS ( SELECT * FROM deployments
         JOIN deployment_statuses ON deployment_id = deployments.id WHERE repository_id = ?
         AND sha = ? AND deployments.environment = ? AND state = 'success')";

    /// The deployments there whose newest status says success.
    all active_in(repository_id: i64, environment: &str) -> i64:
        "SELECT id FROM deployments WHERE repository_id = ? AND environment = ? AND (
         SELECT state FROM deployment_statuses WHERE deployment_id = deployments.id
         ORDER BY deployment_statuses.id DESC LIMIT 1) = 'success' ORDER BY id";
}
