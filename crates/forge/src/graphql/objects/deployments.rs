//! Deployments.

use super::commit::Commit;
use crate::graphql::prelude::*;
use crate::store::deployments::{self, DeploymentState, Filter};
use crate::views::{self};

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

struct Deployment(deployments::Deployment, Arc<Repository>);

impl Object for Deployment {
    kind!("Deployment");

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        cx.show(|view| Ok(views::deployments::deployment(view, &self.1, &self.0)))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let row = &self.0;
        let statuses = cx.rows(|conn| deployments::statuses(conn, row.id))?;
        let latest = statuses.into_iter().max_by_key(|status| status.id);
        match field.name {
            "latestEnvironment" => {
                let named = latest.map(|status| status.environment);
                let named = named.filter(|environment| !environment.is_empty());
                plain(named.unwrap_or_else(|| row.environment.clone()))
            }
            "state" => plain(match latest.map(|status| status.state) {
                None => "pending",
                // A deployment that succeeded is what runs now.
                Some(DeploymentState::Success) => "active",
                Some(state) => state.as_str(),
            }),
            _ => Ok(Output::Fact),
        }
    }
}
