use rusqlite::types::ToSql;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};
use serde_json::Value;

use crate::store::text_enum::text_enum;
use crate::store::users::{self, User};

#[derive(Debug, Clone)]
pub(crate) struct Deployment {
    pub(crate) id: i64,
    pub(crate) repository_id: i64,
    pub(crate) sha: String,
    /// As it was asked for: a branch, a tag or a commit.
    pub(crate) ref_name: String,
    pub(crate) task: String,
    pub(crate) payload: Value,
    pub(crate) environment: String,
    pub(crate) description: Option<String>,
    pub(crate) transient_environment: bool,
    pub(crate) production_environment: bool,
    pub(crate) creator: User,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
}

#[derive(Debug, Clone)]
pub(crate) struct DeploymentStatus {
    pub(crate) id: i64,
    pub(crate) deployment_id: i64,
    pub(crate) state: DeploymentState,
    pub(crate) description: String,
    pub(crate) environment: String,
    pub(crate) environment_url: String,
    pub(crate) log_url: String,
    pub(crate) creator: User,
    pub(crate) created_at: String,
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

pub(crate) fn create(
    transaction: &Transaction<'_>,
    new: &NewDeployment<'_>,
) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached(
            "INSERT INTO deployments
             (repository_id, sha, ref, task, payload, environment, description,
              transient_environment, production_environment, creator_id, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11)",
        )?
        .insert(params![
            new.repository_id,
            new.sha,
            new.ref_name,
            new.task,
            new.payload.to_string(),
            new.environment,
            new.description,
            new.transient_environment,
            new.production_environment,
            new.creator_id,
            new.at,
        ])
}

pub(crate) fn by_id(
    connection: &Connection,
    repository_id: i64,
    id: i64,
) -> rusqlite::Result<Option<Deployment>> {
    connection
        .prepare_cached("SELECT * FROM deployments WHERE repository_id = ? AND id = ?")?
        .query_row([repository_id, id], |row| deployment(connection, row))
        .optional()
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    pub(crate) sha: Option<String>,
    pub(crate) ref_name: Option<String>,
    pub(crate) task: Option<String>,
    pub(crate) environment: Option<String>,
}

/// Newest first.
pub(crate) fn list(
    connection: &Connection,
    repository_id: i64,
    filter: &Filter,
) -> rusqlite::Result<Vec<Deployment>> {
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
    connection
        .prepare_cached(&sql)?
        .query_map(values.as_slice(), |row| deployment(connection, row))?
        .collect()
}

pub(crate) fn delete(transaction: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM deployments WHERE id = ?")?
        .execute([id])
        .map(drop)
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

pub(crate) fn add_status(
    transaction: &Transaction<'_>,
    new: &NewStatus<'_>,
) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached("UPDATE deployments SET updated_at = ? WHERE id = ?")?
        .execute(params![new.at, new.deployment_id])?;
    transaction
        .prepare_cached(
            "INSERT INTO deployment_statuses
             (deployment_id, state, description, environment, environment_url, log_url, creator_id,
              created_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .insert(params![
            new.deployment_id,
            new.state,
            new.description,
            new.environment,
            new.environment_url,
            new.log_url,
            new.creator_id,
            new.at,
        ])
}

/// Newest first.
pub(crate) fn statuses(
    connection: &Connection,
    deployment_id: i64,
) -> rusqlite::Result<Vec<DeploymentStatus>> {
    connection
        .prepare_cached(
            "SELECT * FROM deployment_statuses WHERE deployment_id = ? ORDER BY id DESC",
        )?
        .query_map([deployment_id], |row| status(connection, row))?
        .collect()
}

/// Whether this commit was deployed there with success.
pub(crate) fn succeeded(
    connection: &Connection,
    repository_id: i64,
    sha: &str,
    environment: &str,
) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT EXISTS (
                 SELECT * FROM deployments JOIN deployment_statuses ON deployment_id = deployments.id
                 WHERE repository_id = ? AND sha = ? AND deployments.environment = ?
                   AND state = 'success')",
        )?
        .query_row(params![repository_id, sha, environment], |row| row.get(0))
}

/// The deployments there whose newest status says success.
pub(crate) fn active_in(
    connection: &Connection,
    repository_id: i64,
    environment: &str,
) -> rusqlite::Result<Vec<i64>> {
    connection
        .prepare_cached(
            "SELECT id FROM deployments WHERE repository_id = ? AND environment = ? AND (
                 SELECT state FROM deployment_statuses WHERE deployment_id = deployments.id
                 ORDER BY deployment_statuses.id DESC LIMIT 1) = 'success'
             ORDER BY id",
        )?
        .query_map(params![repository_id, environment], |row| row.get(0))?
        .collect()
}

fn deployment(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<Deployment> {
    let payload: String = row.get("payload")?;
    Ok(Deployment {
        id: row.get("id")?,
        repository_id: row.get("repository_id")?,
        sha: row.get("sha")?,
        ref_name: row.get("ref")?,
        task: row.get("task")?,
        payload: serde_json::from_str(&payload).unwrap_or(Value::Null),
        environment: row.get("environment")?,
        description: row.get("description")?,
        transient_environment: row.get("transient_environment")?,
        production_environment: row.get("production_environment")?,
        creator: users::by_id(connection, row.get("creator_id")?)?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

fn status(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<DeploymentStatus> {
    Ok(DeploymentStatus {
        id: row.get("id")?,
        deployment_id: row.get("deployment_id")?,
        state: row.get("state")?,
        description: row.get("description")?,
        environment: row.get("environment")?,
        environment_url: row.get("environment_url")?,
        log_url: row.get("log_url")?,
        creator: users::by_id(connection, row.get("creator_id")?)?,
        created_at: row.get("created_at")?,
    })
}
