//! Who may hand over to whom, and which kind of handoff that is.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use super::message::shortened;
use super::vocabulary::{Agent, Hint, UnknownWord, Vocabulary, nearest, vocabulary};
use crate::Found;

/// The names that stand for sender and receiver in the general form.
pub(super) const SENDER_PLACEHOLDER: &str = "source-agent-name";
pub(super) const RECEIVER_PLACEHOLDER: &str = "target-agent-name";

vocabulary! {
    /// The kinds of handoff, one per edge of the workflow.
    pub enum HandoffKind {
        /// issue-manager → prep-agent
        IssueReady = "issue-ready",
        /// prep-agent → implementer-agent
        WorkspaceReady = "workspace-ready",
        /// implementer-agent → reviewer-agent
        Implemented = "implemented",
        /// reviewer-agent → fixer-agent
        ChangesRequested = "changes-requested",
        /// reviewer-agent → validator-agent
        Approved = "approved",
        /// fixer-agent → reviewer-agent
        Fixed = "fixed",
        /// fixer-agent → validator-agent
        NothingToFix = "nothing-to-fix",
        /// validator-agent → closer-agent
        Merged = "merged",
        /// validator-agent → fixer-agent
        ValidationFailed = "validation-failed",
        /// any agent → orchestrator
        AgentFailed = "agent-failed",
        /// closer-agent → the end
        WorkflowComplete = "workflow-complete",
        /// The general form with placeholders; never delivered.
        Envelope = "envelope",
    }
}

impl HandoffKind {
    /// The agent that sends this kind; `None` where it is not always the same.
    pub fn sender(self) -> Option<Agent> {
        self.edge().0
    }

    /// The agent that receives this kind; `None` where there is none.
    pub fn receiver(self) -> Option<Agent> {
        self.edge().1
    }

    fn edge(self) -> (Option<Agent>, Option<Agent>) {
        use Agent::{
            Closer, Fixer, Implementer, IssueManager, Orchestrator, Prep, Reviewer, Validator,
        };
        match self {
            Self::IssueReady => (Some(IssueManager), Some(Prep)),
            Self::WorkspaceReady => (Some(Prep), Some(Implementer)),
            Self::Implemented => (Some(Implementer), Some(Reviewer)),
            Self::ChangesRequested => (Some(Reviewer), Some(Fixer)),
            Self::Approved => (Some(Reviewer), Some(Validator)),
            Self::Fixed => (Some(Fixer), Some(Reviewer)),
            Self::NothingToFix => (Some(Fixer), Some(Validator)),
            Self::Merged => (Some(Validator), Some(Closer)),
            Self::ValidationFailed => (Some(Validator), Some(Fixer)),
            Self::AgentFailed => (None, Some(Orchestrator)),
            Self::WorkflowComplete => (Some(Closer), None),
            Self::Envelope => (None, None),
        }
    }

    /// The root element of this kind in XML.
    pub fn root(self) -> &'static str {
        match self {
            Self::WorkflowComplete => "workflow-complete",
            _ => "handoff",
        }
    }
}

/// What is wrong with the names of sender or receiver.
pub(super) struct Misrouted {
    pub(super) field: &'static str,
    pub(super) found: Found,
    pub(super) message: String,
}

/// The kind of handoff between two agents, and the sender where it is one.
pub(super) fn kind_between(
    from: Option<&str>,
    to: Option<&str>,
) -> Result<(HandoffKind, Option<Agent>), Vec<Misrouted>> {
    if (from, to) == (Some(SENDER_PLACEHOLDER), Some(RECEIVER_PLACEHOLDER)) {
        return Ok((HandoffKind::Envelope, None));
    }
    let sender = known_agent("from", from, |agent| agent != Agent::Orchestrator);
    let receiver = known_agent("to", to, |agent| agent != Agent::IssueManager);
    let (sender, receiver) = match (sender, receiver) {
        (Ok(sender), Ok(receiver)) => (sender, receiver),
        (sender, receiver) => {
            return Err([sender.err(), receiver.err()]
                .into_iter()
                .flatten()
                .collect());
        }
    };
    receivers_of(sender)
        .find(|(_, known)| *known == receiver)
        .map(|(kind, _)| (kind, Some(sender)))
        .ok_or_else(|| {
            let others: Vec<String> = receivers_of(sender)
                .map(|(_, known)| format!("`{known}`"))
                .collect();
            vec![Misrouted {
                field: "to",
                found: Found::Value(Value::from(receiver.word())),
                message: format!(
                    "`{sender}` does not hand over to `{receiver}`; there is no such edge, expected `to` to be {}",
                    others.join(" or ")
                ),
            }]
        })
}

/// Everyone that an agent may hand over to, the orchestrator last.
fn receivers_of(sender: Agent) -> impl Iterator<Item = (HandoffKind, Agent)> {
    HandoffKind::ALL.iter().filter_map(move |kind| {
        let receiver = kind.receiver()?;
        let sends = kind.sender().is_none_or(|known| known == sender);
        sends.then_some((*kind, receiver))
    })
}

fn known_agent(
    field: &'static str,
    name: Option<&str>,
    fits: fn(Agent) -> bool,
) -> Result<Agent, Misrouted> {
    let expected = || {
        let agents = Agent::ALL.iter().filter(|agent| fits(**agent));
        let words: Vec<String> = agents.map(|agent| format!("`{agent}`")).collect();
        words.join(", ")
    };
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return Err(Misrouted {
            field,
            found: Found::Absent,
            message: format!("`{field}` is missing; expected one of {}", expected()),
        });
    };
    Agent::from_word(name)
        .filter(|agent| fits(*agent))
        .ok_or_else(|| Misrouted {
            field,
            found: Found::Value(Value::from(name)),
            message: format!(
                "`{field}` is `{}`; expected one of {}{}",
                shortened(name),
                expected(),
                Hint(
                    nearest(name, Agent::WORDS)
                        .filter(|word| word != name)
                        .as_deref()
                )
            ),
        })
}
