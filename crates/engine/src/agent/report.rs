//! The result of an agent's work, and whether it counts as done.

use baton_host::cmd::{Finished, Limit, Outcome};
use baton_workflow::{Failure, FailureKind, Usage};

use super::Role;
use super::transcript::{MAX_MESSAGE, Transcript};

/// The result of an agent's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentReport {
    pub end: AgentEnd,
    /// The end of the agent's output: foreign text.
    pub message: String,
    pub usage: Usage,
    pub session: Option<String>,
    /// Whether the worktree, including its commits, has changed.
    pub changed: bool,
    /// It left processes running, which were ended.
    pub leaked: bool,
}

/// How an agent ended, by its own report and its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentEnd {
    /// It reports success, or at least exited without an error.
    Claimed,
    /// Its report or its exit code is an error.
    Failed(String),
    /// It does nothing until a user logs in to it.
    LoggedOut(String),
    TimedOut(String),
    /// It was ended because it filled the disk. Its changes are too large to
    /// inspect.
    FilledDisk,
    Cancelled,
}

/// How much of an agent's output is quoted in an error.
const QUOTED: usize = 300;

impl AgentReport {
    pub(super) fn new(transcript: Transcript, finished: &Finished, changed: bool) -> Self {
        let end = match (finished.outcome, transcript.error) {
            (
                Outcome::TimedOut {
                    limit: Limit::Disk, ..
                },
                _,
            ) => AgentEnd::FilledDisk,
            (Outcome::TimedOut { limit, after }, _) => AgentEnd::TimedOut(match limit {
                Limit::Wall => format!("it took longer than {after:?}"),
                Limit::Idle | Limit::Disk => format!("it was silent for {after:?}"),
            }),
            (Outcome::Cancelled, error) if !transcript.is_done => {
                error.map_or(AgentEnd::Cancelled, AgentEnd::Failed)
            }
            (_, Some(error)) if transcript.logged_out => AgentEnd::LoggedOut(error),
            (_, Some(error)) => AgentEnd::Failed(error),
            (Outcome::Exited(0) | Outcome::Cancelled, None) => AgentEnd::Claimed,
            // An agent that is ended after its final message is done.
            (_, None) if transcript.is_done => AgentEnd::Claimed,
            (outcome, None) => AgentEnd::Failed(match finished.stderr.text().trim() {
                "" => format!("it {outcome}"),
                said => format!("it {outcome}: {}", last(said)),
            }),
        };
        let mut message = transcript.message;
        if message.trim().is_empty() {
            end_of(&finished.stdout.text(), MAX_MESSAGE).clone_into(&mut message);
        }
        Self {
            end,
            message,
            usage: transcript.usage,
            session: transcript.session,
            changed,
            leaked: finished.leaked,
        }
    }

    /// The verdict of the step. The agent's report counts against it and never
    /// for it: a writer must have changed something, and a reader nothing.
    pub fn verdict(&self, role: Role) -> Result<(), Failure> {
        let failure = |kind, text: String| Err(Failure::new(kind, text));
        match &self.end {
            AgentEnd::Cancelled => {
                failure(FailureKind::Cancelled, "the agent was ended".to_owned())
            }
            AgentEnd::FilledDisk => failure(
                FailureKind::Permanent,
                "the agent filled the disk and was ended; what it wrote was removed".to_owned(),
            ),
            AgentEnd::TimedOut(text) => {
                failure(FailureKind::Stalled, format!("the agent was ended: {text}"))
            }
            _ if role == Role::Reader && self.changed => failure(
                FailureKind::Unproven,
                "the agent changed files that it was only to read; they are put back".to_owned(),
            ),
            AgentEnd::LoggedOut(text) => {
                failure(FailureKind::Permanent, format!("the agent failed: {text}"))
            }
            AgentEnd::Failed(text) => {
                failure(FailureKind::Unproven, format!("the agent failed: {text}"))
            }
            AgentEnd::Claimed if role == Role::Writer && !self.changed => {
                let said = last(self.message.trim());
                let text = format!(
                    "the agent says that it is done and has changed nothing; it said: {said}"
                );
                failure(FailureKind::Unproven, text)
            }
            AgentEnd::Claimed => Ok(()),
        }
    }
}

fn last(text: &str) -> &str {
    end_of(text, QUOTED)
}

fn end_of(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}
