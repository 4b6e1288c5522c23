//! The events in the journal of a run. These types are the stored format: a
//! change of their JSON means a new [`FORMAT`].

use std::collections::BTreeMap;

use baton_protocol::handoff::Handoff;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::key::{Key, RunId};
use crate::outcome::{Failure, Usage};
use crate::policy::Policy;
use crate::question::StepQuestion;

/// The version of the stored format. 2: the usage of a step includes its
/// duration. 3: a run may have a pull request as its goal, and end before the
/// merge. Older journals are read as they are.
pub const FORMAT: u32 = 3;

/// Something that happened in a run. `Started` is written before an effect,
/// `Finished` or `Failed` after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// The first event of every run; it occurs nowhere else.
    Created { at: Timestamp, start: Box<Start> },
    /// A step starts, or starts again after its driver died.
    Started { key: Key, at: Timestamp },
    Finished {
        key: Key,
        at: Timestamp,
        report: Report,
        #[serde(default, skip_serializing_if = "Usage::is_none")]
        usage: Usage,
    },
    Failed {
        key: Key,
        at: Timestamp,
        failure: Failure,
        #[serde(default, skip_serializing_if = "Usage::is_none")]
        usage: Usage,
    },
    /// A pause is over.
    Woke { key: Key, at: Timestamp },
    /// A question was announced.
    Asked { key: Key, at: Timestamp },
    Answered {
        key: Key,
        at: Timestamp,
        answer: Answer,
    },
    /// A user asked to cancel the run.
    CancelRequested { at: Timestamp, reason: String },
    /// A note for people that changes nothing, such as an action that the sandbox
    /// refused.
    Noticed {
        key: Key,
        at: Timestamp,
        texts: Vec<String>,
    },
}

impl Event {
    pub fn at(&self) -> Timestamp {
        match self {
            Self::Created { at, .. }
            | Self::Started { at, .. }
            | Self::Finished { at, .. }
            | Self::Failed { at, .. }
            | Self::Woke { at, .. }
            | Self::Asked { at, .. }
            | Self::Answered { at, .. }
            | Self::CancelRequested { at, .. }
            | Self::Noticed { at, .. } => *at,
        }
    }

    pub fn word(&self) -> &'static str {
        match self {
            Self::Created { .. } => "created",
            Self::Started { .. } => "started",
            Self::Finished { .. } => "finished",
            Self::Failed { .. } => "failed",
            Self::Woke { .. } => "woke",
            Self::Asked { .. } => "asked",
            Self::Answered { .. } => "answered",
            Self::CancelRequested { .. } => "cancel_requested",
            Self::Noticed { .. } => "noticed",
        }
    }
}

/// The goal of a run and the rules it follows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    pub run: RunId,
    pub goal: Goal,
    pub policy: Policy,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// The request, in the words of its author.
    pub request: String,
    /// The repository, as the steps identify it.
    pub repository: String,
    /// An existing issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<u64>,
    /// An existing pull request that the run brings forward, without an issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u32>,
    /// The branch to merge into; absent: the repository's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Values that the steps need to find their context again, by names of their
    /// own: the checkout, the server, the coding agent. The workflow does not
    /// read it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub place: BTreeMap<String, String>,
}

/// The report of a step that did its work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Report {
    /// The work passes to the agent that the handoff names.
    Passed { handoff: Box<Handoff> },
    /// The same agent has another step to do, or there is no agent to pass to.
    Done,
    /// The step needs an answer and is run again with it.
    Asks { question: StepQuestion },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The key of one of the question's options.
    pub choice: char,
    /// Guidance for the next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}
