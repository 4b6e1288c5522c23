use async_graphql::{Enum, InputObject};

use crate::store::issue_lists::ListSort;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum OrderDirection {
    Asc,
    Desc,
}

/// `{ field: …, direction: … }`, which every list has for its own fields.
macro_rules! orders {
    ($($order:ident by $field:ident { $($variant:ident),* $(,)? })*) => {$(
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
        pub(in crate::graphql) enum $field {
            $($variant,)*
        }

        #[derive(Debug, Clone, Copy, InputObject)]
        pub(in crate::graphql) struct $order {
            pub(in crate::graphql) field: $field,
            pub(in crate::graphql) direction: OrderDirection,
        }

        impl $order {
            pub(in crate::graphql) fn is_descending(&self) -> bool {
                self.direction == OrderDirection::Desc
            }
        }
    )*};
}

orders! {
    DeploymentOrder by DeploymentOrderField { CreatedAt }
    IssueCommentOrder by IssueCommentOrderField { UpdatedAt }
    IssueOrder by IssueOrderField { CreatedAt, UpdatedAt, Comments }
    LabelOrder by LabelOrderField { Name, CreatedAt }
    MilestoneOrder by MilestoneOrderField { DueDate, CreatedAt, UpdatedAt, Number }
    RefOrder by RefOrderField { TagCommitDate, Alphabetical }
    RepositoryOrder by RepositoryOrderField { CreatedAt, UpdatedAt, PushedAt, Name, Stargazers }
}

impl From<IssueOrderField> for ListSort {
    fn from(field: IssueOrderField) -> Self {
        match field {
            IssueOrderField::CreatedAt => Self::Created,
            IssueOrderField::UpdatedAt => Self::Updated,
            IssueOrderField::Comments => Self::Comments,
        }
    }
}

// There are no teams to put in order.
#[derive(Debug, Clone, Copy, InputObject)]
pub(in crate::graphql) struct TeamOrder {
    pub(in crate::graphql) field: TeamOrderField,
    pub(in crate::graphql) direction: OrderDirection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum TeamOrderField {
    Name,
}
