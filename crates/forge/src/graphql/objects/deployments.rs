//! Deployments and their statuses.

use super::commit::{self, Commit};
use super::{Account, Repo};
use crate::graphql::prelude::*;
use crate::store::deployments::{self, DeploymentState, DeploymentStatus, Filter};
use crate::views::{self, merged};

/// Of a commit.
pub(super) fn deployments_of(cx: &Context, field: &Field<'_>, commit: &Commit) -> Resolved {
    let filter = Filter {
        sha: Some(commit.commit.oid.to_string()),
        ..Filter::default()
    };
    let repository = &commit.repository;
    let mut rows = cx.rows(|conn| deployments::list(conn, repository.id, &filter))?;
    if let Some(environments) = field.arguments.texts("environments") {
        rows.retain(|row| environments.contains(&row.environment));
    }
    if !field
        .arguments
        .order()
        .is_some_and(|(_, descending)| descending)
    {
        rows.reverse();
    }
    let node = |row| Deployment(row, Arc::clone(repository));
    field.list(rows, |row| row.id, node)
}

#[derive(Clone)]
struct Deployment(deployments::Deployment, Arc<Repository>);

impl Deployment {
    fn statuses(&self, cx: &Context) -> Result<Vec<DeploymentStatus>, QueryError> {
        cx.rows(|conn| deployments::statuses(conn, self.0.id))
    }
}

impl Object for Deployment {
    kind!("Deployment");

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        cx.show(|view| Ok(views::deployments::deployment(view, &self.1, &self.0)))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let (row, repository) = (&self.0, &self.1);
        let latest = || {
            let rows = self.statuses(cx)?;
            Ok::<_, QueryError>(rows.into_iter().max_by_key(|row| row.id))
        };
        match field.name {
            "commit" => commit::load(cx, repository, Some(&row.sha)).await,
            "commitOid" => plain(row.sha.as_str()),
            "creator" => one(Account(row.creator.clone())),
            "latestEnvironment" => {
                let named = latest()?.map(|status| status.environment);
                let named = named.filter(|environment| !environment.is_empty());
                plain(named.unwrap_or_else(|| row.environment.clone()))
            }
            "latestStatus" => maybe(latest()?.map(|status| Status(status, self.clone()))),
            "payload" => plain(row.payload.to_string()),
            "repository" => one(Repo(Arc::clone(repository))),
            "state" => plain(match latest()?.map(|status| status.state) {
                None => "pending",
                // A deployment that succeeded is what runs now.
                Some(DeploymentState::Success) => "active",
                Some(state) => state.as_str(),
            }),
            "statuses" => {
                let node = |status| Status(status, self.clone());
                field.list(self.statuses(cx)?, |row| row.id, node)
            }
            _ => Ok(Output::Fact),
        }
    }
}

struct Status(DeploymentStatus, Deployment);

impl Object for Status {
    kind!("DeploymentStatus");

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        let row = &self.0;
        let facts = cx.show(|view| Ok(views::deployments::status(view, &self.1.1, row)))?;
        let set = |url: &str| (!url.is_empty()).then(|| url.to_owned());
        let more = json!({
            "node_id": node_id(Kind::DeploymentStatus, row.id),
            "environment_url": set(&row.environment_url),
            "log_url": set(&row.log_url),
        });
        Ok(merged(facts, more))
    }

    async fn resolve(&self, _: &Context, field: &Field<'_>) -> Resolved {
        match field.name {
            "creator" => one(Account(self.0.creator.clone())),
            "deployment" => one(self.1.clone()),
            _ => Ok(Output::Fact),
        }
    }
}
