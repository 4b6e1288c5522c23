use async_graphql::{Context, SimpleObject};
use jiff::Timestamp;

use crate::edge::quota::{Resource, Who};
use crate::graphql::access::{access, viewer};
use crate::graphql::errors::QueryError;
use crate::graphql::scalars::DateTime;

/// What the caller may still ask, once this question is paid for.
#[derive(SimpleObject)]
pub(in crate::graphql) struct RateLimit {
    cost: i32,
    limit: i32,
    node_count: i32,
    remaining: i32,
    reset_at: DateTime,
    used: i32,
}

impl RateLimit {
    pub(in crate::graphql) fn of(ctx: &Context<'_>) -> Result<Self, QueryError> {
        let access = access(ctx);
        let who = Who::User(viewer(ctx)?.id);
        let now = access.app.timestamp();
        let standing = access.app.quota().standing(who, Resource::Graphql, now);
        let cost = access.demand.cost();
        // The edge has counted one for whoever comes in.
        let used = standing.used.saturating_add(cost).saturating_sub(1);
        let reset = Timestamp::from_second(standing.reset).unwrap_or(now);
        Ok(Self {
            cost: int(cost),
            limit: int(standing.limit),
            node_count: i32::try_from(access.demand.nodes).unwrap_or(i32::MAX),
            remaining: int(standing.limit.saturating_sub(used)),
            reset_at: reset.to_string().into(),
            used: int(used),
        })
    }
}

fn int(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
