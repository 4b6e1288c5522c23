use std::path::Path;

use serde_json::{Value, json};

use super::{Agent, AgentError};
use crate::steps::StepContext;

/// A conversation with an agent that can be taken up again.
#[derive(Clone, Debug)]
pub(super) struct Session {
    /// Of an earlier try, or of one before a crash.
    pub(super) earlier: Option<String>,
    agent: String,
    worktree: String,
}

/// How long a session can be taken up again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    Outlives,
    /// The agent cannot load sessions.
    EndsWithAgent,
}

const NAME: &str = "agent-session";

impl Session {
    /// Finds the session of an earlier try. One of another agent or in another
    /// worktree would talk about files that are not there.
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

    /// Keeps a session's id. It has to be kept before the agent is given work in
    /// it.
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

    /// Nobody is to look for the earlier session again.
    pub(super) async fn forget(&self, context: &StepContext) -> Result<(), AgentError> {
        Ok(context.remember(NAME, "{}").await?)
    }
}
