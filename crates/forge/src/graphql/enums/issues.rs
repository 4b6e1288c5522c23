use async_graphql::Enum;

use crate::store::issue_lists::ListedState;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum CommentAuthorAssociation {
    Member,
    Owner,
    Mannequin,
    Collaborator,
    Contributor,
    FirstTimeContributor,
    FirstTimer,
    None,
}

impl CommentAuthorAssociation {
    /// REST's word.
    pub(in crate::graphql) fn of(word: &str) -> Self {
        match word {
            "OWNER" => Self::Owner,
            "MEMBER" => Self::Member,
            "COLLABORATOR" => Self::Collaborator,
            "CONTRIBUTOR" => Self::Contributor,
            _ => Self::None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum IssueClosedStateReason {
    Completed,
    NotPlanned,
    Duplicate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum IssueState {
    Open,
    Closed,
}

impl From<IssueState> for ListedState {
    fn from(state: IssueState) -> Self {
        match state {
            IssueState::Open => Self::Open,
            IssueState::Closed => Self::Closed,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum IssueStateReason {
    Reopened,
    NotPlanned,
    Completed,
    Duplicate,
}

impl IssueStateReason {
    pub(in crate::graphql) fn of(reason: &str) -> Option<Self> {
        match reason {
            "reopened" => Some(Self::Reopened),
            "completed" => Some(Self::Completed),
            "not_planned" => Some(Self::NotPlanned),
            "duplicate" => Some(Self::Duplicate),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum LockReason {
    OffTopic,
    TooHeated,
    Resolved,
    Spam,
}

impl LockReason {
    pub(in crate::graphql) fn of(reason: &str) -> Option<Self> {
        match reason {
            "off-topic" => Some(Self::OffTopic),
            "too heated" => Some(Self::TooHeated),
            "resolved" => Some(Self::Resolved),
            "spam" => Some(Self::Spam),
            _ => None,
        }
    }

    /// REST's word, which the rows have.
    pub(in crate::graphql) fn as_str(self) -> &'static str {
        match self {
            Self::OffTopic => "off-topic",
            Self::TooHeated => "too heated",
            Self::Resolved => "resolved",
            Self::Spam => "spam",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum MilestoneState {
    Open,
    Closed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum ReactionContent {
    ThumbsUp,
    ThumbsDown,
    Laugh,
    Hooray,
    Confused,
    Heart,
    Rocket,
    Eyes,
}

impl ReactionContent {
    /// In the order in which GitHub lists them.
    pub(in crate::graphql) const ALL: [Self; 8] = [
        Self::ThumbsUp,
        Self::ThumbsDown,
        Self::Laugh,
        Self::Hooray,
        Self::Confused,
        Self::Heart,
        Self::Rocket,
        Self::Eyes,
    ];

    /// REST's word, which the rows have.
    pub(in crate::graphql) fn as_str(self) -> &'static str {
        match self {
            Self::ThumbsUp => "+1",
            Self::ThumbsDown => "-1",
            Self::Laugh => "laugh",
            Self::Hooray => "hooray",
            Self::Confused => "confused",
            Self::Heart => "heart",
            Self::Rocket => "rocket",
            Self::Eyes => "eyes",
        }
    }

    pub(in crate::graphql) fn of(content: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|known| known.as_str() == content)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum ReportedContentClassifiers {
    Spam,
    Abuse,
    OffTopic,
    Outdated,
    Duplicate,
    Resolved,
}

impl ReportedContentClassifiers {
    /// As `minimizedReason` gives it.
    pub(in crate::graphql) fn as_str(self) -> &'static str {
        match self {
            Self::Spam => "spam",
            Self::Abuse => "abuse",
            Self::OffTopic => "off-topic",
            Self::Outdated => "outdated",
            Self::Duplicate => "duplicate",
            Self::Resolved => "resolved",
        }
    }
}
