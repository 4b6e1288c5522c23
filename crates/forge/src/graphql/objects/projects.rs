//! Project boards. The forge has none; their types are here because `gh` names
//! them in the queries for issues and pull requests. No value of them exists.

use async_graphql::{ID, Object};

use super::absent::Absent;
use crate::graphql::connection::connections;

/// A card on a board of the old kind.
pub(in crate::graphql) struct ProjectCard(Absent);

pub(in crate::graphql) struct ProjectColumn(Absent);

pub(in crate::graphql) struct Project(Absent);

pub(in crate::graphql) struct ProjectV2Item(Absent);

pub(in crate::graphql) struct ProjectV2(Absent);

connections! {
    ProjectCards: ProjectCardConnection, ProjectCardEdge, ProjectCard;
    ProjectV2Items: ProjectV2ItemConnection, ProjectV2ItemEdge, ProjectV2Item;
}

#[Object]
impl ProjectCard {
    #[graphql(
        deprecation = "Projects (classic) is being deprecated in favor of the new Projects experience."
    )]
    async fn column(&self) -> Option<ProjectColumn> {
        self.0.claim()
    }

    #[graphql(
        deprecation = "Projects (classic) is being deprecated in favor of the new Projects experience."
    )]
    async fn id(&self) -> ID {
        self.0.claim()
    }

    #[graphql(
        deprecation = "Projects (classic) is being deprecated in favor of the new Projects experience."
    )]
    async fn project(&self) -> Project {
        self.0.claim()
    }
}

#[Object]
impl ProjectColumn {
    #[graphql(
        deprecation = "Projects (classic) is being deprecated in favor of the new Projects experience."
    )]
    async fn id(&self) -> ID {
        self.0.claim()
    }

    #[graphql(
        deprecation = "Projects (classic) is being deprecated in favor of the new Projects experience."
    )]
    async fn name(&self) -> String {
        self.0.claim()
    }
}

#[Object]
impl Project {
    #[graphql(
        deprecation = "Projects (classic) is being deprecated in favor of the new Projects experience."
    )]
    async fn id(&self) -> ID {
        self.0.claim()
    }

    #[graphql(
        deprecation = "Projects (classic) is being deprecated in favor of the new Projects experience."
    )]
    async fn name(&self) -> String {
        self.0.claim()
    }
}

#[Object]
impl ProjectV2Item {
    async fn id(&self) -> ID {
        self.0.claim()
    }

    async fn project(&self) -> ProjectV2 {
        self.0.claim()
    }
}

#[Object]
impl ProjectV2 {
    async fn id(&self) -> ID {
        self.0.claim()
    }

    async fn title(&self) -> String {
        self.0.claim()
    }
}
