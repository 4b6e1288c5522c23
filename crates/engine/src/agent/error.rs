//! The errors of starting and supervising an agent.

use std::io;
use std::path::PathBuf;

use baton_host::cmd::CmdError;
use baton_host::git::GitError;
use baton_protocol::error_chain;
use baton_workflow::{Failure, FailureKind};

use crate::error::EngineError;

/// Why an agent could not be started or supervised. One that ran and failed is an
/// [`AgentReport`](super::AgentReport).
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error(transparent)]
    Start(#[from] CmdError),
    #[error("cannot see what the agent changed")]
    Evidence(#[from] GitError),
    #[error("cannot keep what the agent says in {}: check that the folder can be written to", path.display())]
    Log {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the agent has lost the session in which it was cut off; its work starts again")]
    SessionLost,
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl AgentError {
    /// As the failure of a step.
    pub fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        let kind = match self {
            // The next attempt does not ask for the session any more.
            Self::SessionLost => FailureKind::Transient,
            Self::Start(_) | Self::Evidence(_) | Self::Log { .. } | Self::Engine(_) => {
                FailureKind::Permanent
            }
        };
        Failure::new(kind, message)
    }
}
