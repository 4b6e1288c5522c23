//! Pushes that took commits away from a branch of a pull request.

use super::{PullRequest, Ref, account, commit};
use crate::graphql::prelude::*;
use crate::store::timeline::{self, TimelineEvent};

/// Which branch of the pull request was pushed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Base,
    Head,
}

impl Side {
    const ALL: [Self; 2] = [Self::Base, Self::Head];

    fn from_event(event: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|side| side.event() == event)
    }

    /// As the timeline has it.
    fn event(self) -> &'static str {
        match self {
            Self::Base => "base_ref_force_pushed",
            Self::Head => "head_ref_force_pushed",
        }
    }

    /// As a filter of timelines has it.
    fn item_type(self) -> &'static str {
        match self {
            Self::Base => "BASE_REF_FORCE_PUSHED_EVENT",
            Self::Head => "HEAD_REF_FORCE_PUSHED_EVENT",
        }
    }
}

pub(crate) struct ForcePush {
    side: Side,
    row: TimelineEvent,
    pull: PullRequest,
}

impl ForcePush {
    /// An event of another kind is none.
    pub(crate) fn new(row: TimelineEvent, pull: &PullRequest) -> Option<Self> {
        Some(Self {
            side: Side::from_event(&row.event)?,
            row,
            pull: pull.clone(),
        })
    }

    fn commit(&self, key: &str) -> Option<&str> {
        self.row.data.as_ref()?.get(key)?.as_str()
    }
}

/// The timeline, as far as the schema has its kinds of events.
pub(super) fn timeline_items(cx: &Context, field: &Field<'_>, pull: &PullRequest) -> Resolved {
    let kinds = field.arguments.texts("itemTypes");
    let is_wanted = |push: &ForcePush| {
        let kind = push.side.item_type();
        kinds
            .as_ref()
            .is_none_or(|kinds| kinds.iter().any(|known| known == kind))
    };
    let rows = cx.rows(|conn| timeline::for_issue(conn, pull.row.id()))?;
    let events: Vec<ForcePush> = rows
        .into_iter()
        .filter_map(|row| ForcePush::new(row, pull))
        .filter(is_wanted)
        .collect();
    field.list(events, |event| event.row.id, |event| event)
}

impl Object for ForcePush {
    fn kind(&self) -> &'static str {
        match self.side {
            Side::Base => "BaseRefForcePushedEvent",
            Side::Head => "HeadRefForcePushedEvent",
        }
    }

    fn facts(&self, _: &Context) -> Result<Value, QueryError> {
        let kind = match self.side {
            Side::Base => Kind::BaseRefForcePushedEvent,
            Side::Head => Kind::HeadRefForcePushedEvent,
        };
        Ok(json!({
            "node_id": node_id(kind, self.row.id),
            "created_at": self.row.created_at,
        }))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let PullRequest { row, repository } = &self.pull;
        match field.name {
            "actor" => match self.row.actor_id {
                Some(id) => account(cx, id),
                None => plain(Value::Null),
            },
            "afterCommit" => commit::load(cx, repository, self.commit("commit_id")).await,
            "beforeCommit" => commit::load(cx, repository, self.commit("before")).await,
            "pullRequest" => one(self.pull.clone()),
            "ref" => match self.side {
                Side::Base => Ref::branch(cx, repository, &row.base_ref).and_then(maybe),
                Side::Head => self.pull.head_branch(cx),
            },
            _ => Ok(Output::Fact),
        }
    }
}
