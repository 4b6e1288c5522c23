use async_graphql::{ID, Object};

use super::Organization;
use super::absent::Absent;
use crate::graphql::connection::connections;

/// The forge has no teams; the type is here because clients name it where
/// reviewers are listed. No value of it exists.
pub(in crate::graphql) struct Team(Absent);

connections! {
    Teams: TeamConnection, TeamEdge, Team;
}

#[Object]
impl Team {
    async fn combined_slug(&self) -> String {
        self.0.claim()
    }

    async fn database_id(&self) -> Option<i32> {
        self.0.claim()
    }

    pub(super) async fn id(&self) -> ID {
        self.0.claim()
    }

    async fn name(&self) -> String {
        self.0.claim()
    }

    async fn organization(&self) -> Organization {
        self.0.claim()
    }

    async fn slug(&self) -> String {
        self.0.claim()
    }
}
