use baton_host::cmd::{Finished, Limit, Outcome};
use baton_workflow::{Failure, FailureKind, Usage};

use super::Role;
use super::heard::{Heard, MAX_MESSAGE};

/// What came of an agent's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentReport {
    pub end: AgentEnd,
    /// The end of what the agent said: foreign text.
    pub message: String,
    pub usage: Usage,
    pub session: Option<String>,
    /// Whether the worktree, its commits included, is another one than before.
    pub changed: bool,
    /// Processes that it left behind were ended.
    pub leaked: bool,
}

/// How an agent ended, in its own words and by its exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentEnd {
    /// It says that it is done, or at least ended without complaint.
    Claimed,
    /// It says, or its exit says, that something went wrong.
    Failed(String),
    /// It does nothing before somebody has logged in to it.
    LoggedOut(String),
    TimedOut(String),
    /// It was ended because it filled the disk. What it left is too large to be
    /// looked at.
    FilledDisk,
    Cancelled,
}

/// As much of what an agent said as helps to see what went wrong.
const QUOTED: usize = 300;

impl AgentReport {
    pub(super) fn new(heard: Heard, finished: &Finished, changed: bool) -> Self {
        let end = match (finished.outcome, heard.error) {
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
            (Outcome::Cancelled, error) if !heard.is_done => {
                error.map_or(AgentEnd::Cancelled, AgentEnd::Failed)
            }
            (_, Some(error)) if heard.logged_out => AgentEnd::LoggedOut(error),
            (_, Some(error)) => AgentEnd::Failed(error),
            (Outcome::Exited(0) | Outcome::Cancelled, None) => AgentEnd::Claimed,
            // An agent that is ended after its last word is done all the same.
            (_, None) if heard.is_done => AgentEnd::Claimed,
            (outcome, None) => AgentEnd::Failed(match finished.stderr.text().trim() {
                "" => format!("it {outcome}"),
                said => format!("it {outcome}: {}", last(said)),
            }),
        };
        let mut message = heard.message;
        if message.trim().is_empty() {
            end_of(&finished.stdout.text(), MAX_MESSAGE).clone_into(&mut message);
        }
        Self {
            end,
            message,
            usage: heard.usage,
            session: heard.session,
            changed,
            leaked: finished.leaked,
        }
    }

    /// What the step makes of it. The agent's word counts against it and never
    /// for it: done is what has changed something, or, for a reader, nothing.
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
