//! Stores the ids of agent sessions, so that a later attempt can resume one.

use std::path::Path;

use serde_json::{Value, json};

use super::{Agent, AgentError};
use crate::steps::StepContext;

/// A conversation with an agent that can be resumed.
#[derive(Clone, Debug)]
pub(super) struct Session {
    /// Of an earlier attempt, or of one before a crash.
    pub(super) earlier: Option<String>,
    agent: String,
    worktree: String,
}

/// How long a session can be resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    Outlives,
    /// The agent cannot load sessions.
    EndsWithAgent,
}

const NAME: &str = "agent-session";

impl Session {
    /// Finds the session of an earlier attempt. One of another agent or in
    /// another worktree would refer to files that do not exist.
    pub(super) async fn recall(
        agent: &Agent,
        worktree: &Path,
        context: &StepContext,
    ) -> Result<Self, AgentError> {
        let kept = context.recall(NAME).await?.unwrap_or_default();
        let mut session = Self {
            earlier: None,
            agent: agent.name.clone(),
            worktree: worktree.to_string_lossy().into_owned(),
        };
        let kept: Value = serde_json::from_slice(&kept).unwrap_or_default();
        let is_same = kept["agent"] == session.agent.as_str()
            && kept["worktree"] == session.worktree.as_str();
        if is_same && kept["ends_with_agent"] != true {
            session.earlier = kept["id"].as_str().map(str::to_owned);
        }
        Ok(session)
    }

    /// Stores a session's id. It has to be stored before the agent is given work
    /// in it.
    pub(super) async fn keep(
        &self,
        id: &str,
        life: Life,
        context: &StepContext,
    ) -> Result<(), AgentError> {
        let kept = json!({
            "id": id,
            "agent": self.agent,
            "worktree": self.worktree,
            "ends_with_agent": life == Life::EndsWithAgent,
        });
        Ok(context.remember(NAME, kept.to_string()).await?)
    }

    /// Makes sure that the earlier session is not looked up again.
    pub(super) async fn forget(&self, context: &StepContext) -> Result<(), AgentError> {
        Ok(context.remember(NAME, "{}").await?)
    }
}
