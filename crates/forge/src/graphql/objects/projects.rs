//! Project boards. The forge has none; their types are here because `gh` names
//! them in the queries for issues and pull requests. No value of them exists.

use std::convert::Infallible;

use async_graphql::{ID, Object};

use crate::graphql::connection::connections;

/// A card on a board of the old kind.
pub(in crate::graphql) struct ProjectCard(Infallible);

pub(in crate::graphql) struct ProjectColumn(Infallible);

pub(in crate::graphql) struct Project(Infallible);

pub(in crate::graphql) struct ProjectV2Item(Infallible);

pub(in crate::graphql) struct ProjectV2(Infallible);

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
        match self.0 {}
    }

    async fn id(&self) -> ID {
        match self.0 {}
    }

    #[graphql(
        deprecation = "Projects (classic) is being deprecated in favor of the new Projects experience."
    )]
    async fn project(&self) -> Project {
        match self.0 {}
    }
}

#[Object]
impl ProjectColumn {
    async fn id(&self) -> ID {
        match self.0 {}
    }

    #[graphql(
        deprecation = "Projects (classic) is being deprecated in favor of the new Projects experience."
    )]
    async fn name(&self) -> String {
        match self.0 {}
    }
}

#[Object]
impl Project {
    async fn id(&self) -> ID {
        match self.0 {}
    }

    #[graphql(
        deprecation = "Projects (classic) is being deprecated in favor of the new Projects experience."
    )]
    async fn name(&self) -> String {
        match self.0 {}
    }
}

#[Object]
impl ProjectV2Item {
    async fn id(&self) -> ID {
        match self.0 {}
    }

    async fn project(&self) -> ProjectV2 {
        match self.0 {}
    }
}

#[Object]
impl ProjectV2 {
    async fn id(&self) -> ID {
        match self.0 {}
    }

    async fn title(&self) -> String {
        match self.0 {}
    }
}
