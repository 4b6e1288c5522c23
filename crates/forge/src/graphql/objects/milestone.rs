use async_graphql::{Context, ID, Object, Result};

use super::{Actor, Repository, conversation};
use crate::graphql::access::{read, urls};
use crate::graphql::connection::connections;
use crate::graphql::enums::MilestoneState;
use crate::graphql::scalars::{DateTime, Uri, int};
use crate::node_id::{Kind, node_id};
use crate::store::milestones;

#[derive(Debug, Clone)]
pub(in crate::graphql) struct Milestone {
    pub(in crate::graphql) row: milestones::Milestone,
    pub(in crate::graphql) repository: Repository,
}

connections! {
    Milestones: MilestoneConnection, MilestoneEdge, Milestone;
}

#[Object]
impl Milestone {
    async fn closed(&self) -> bool {
        self.row.state == "closed"
    }

    async fn closed_at(&self) -> Option<DateTime> {
        self.row.closed_at.as_deref().map(DateTime::from)
    }

    async fn created_at(&self) -> DateTime {
        self.row.created_at.as_str().into()
    }

    async fn creator(&self, ctx: &Context<'_>) -> Result<Option<Actor>> {
        Ok(conversation::actor(ctx, self.row.creator_id)?)
    }

    async fn description(&self) -> Option<&str> {
        self.row.description.as_deref()
    }

    async fn due_on(&self) -> Option<DateTime> {
        self.row.due_on.as_deref().map(DateTime::from)
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::Milestone, self.row.id))
    }

    async fn number(&self) -> i32 {
        int(self.row.number)
    }

    async fn progress_percentage(&self, ctx: &Context<'_>) -> Result<f64> {
        let (open, closed) = read(ctx, |connection| {
            Ok(milestones::counts(connection, self.row.id)?)
        })?;
        let all = open + closed;
        Ok(if all == 0 {
            0.0
        } else {
            f64::from(int(closed)) * 100.0 / f64::from(int(all))
        })
    }

    async fn repository(&self) -> &Repository {
        &self.repository
    }

    pub(super) async fn resource_path(&self) -> Uri {
        Uri(self.path())
    }

    async fn state(&self) -> MilestoneState {
        if self.row.state == "closed" {
            MilestoneState::Closed
        } else {
            MilestoneState::Open
        }
    }

    async fn title(&self) -> &str {
        &self.row.title
    }

    async fn updated_at(&self) -> DateTime {
        self.row.updated_at.as_str().into()
    }

    pub(super) async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }
}

impl Milestone {
    fn path(&self) -> String {
        format!("{}/milestone/{}", self.repository.path(), self.row.number)
    }
}
