use std::convert::Infallible;

use async_graphql::{ID, Object};

use super::Organization;
use crate::graphql::connection::connections;

/// The forge has no teams; the type is here because clients name it where
/// reviewers are listed. No value of it exists.
pub(in crate::graphql) struct Team(Infallible);

connections! {
    Teams: TeamConnection, TeamEdge, Team;
}

#[Object]
impl Team {
    async fn combined_slug(&self) -> String {
        match self.0 {}
    }

    async fn database_id(&self) -> Option<i32> {
        match self.0 {}
    }

    pub(super) async fn id(&self) -> ID {
        match self.0 {}
    }

    async fn name(&self) -> String {
        match self.0 {}
    }

    async fn organization(&self) -> Organization {
        match self.0 {}
    }

    async fn slug(&self) -> String {
        match self.0 {}
    }
}
