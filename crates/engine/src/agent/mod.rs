//! Coding agents: programs that are given a prompt and a worktree.
//!
//! An agent is a child like any other: its own process group, time limits, ended
//! on every path. What it reports about its work is stored and displayed, but
//! believed only where the worktree confirms it: see [`AgentReport::verdict`].
//!
//! All of an agent's processes carry the key of their step. Before an agent is
//! started, processes left over with the same key are ended, so there are never
//! two. Its session is resumed where the agent supports that.

mod acp;
mod cli;
mod detect;
mod error;
mod evidence;
mod exec;
mod lines;
mod login;
mod raw_log;
mod report;
mod session;
mod transcript;

use std::path::Path;
use std::time::Duration;

use baton_host::Cmd;
use baton_host::cmd::{CaptureLimits, Environment, Limit, Outcome, end_survivors};
use baton_host::git::Git;
use baton_workflow::{Key, StepLimits};

use crate::steps::StepContext;

pub use cli::Preset;
pub use detect::{Found, detect, installed};
pub use error::AgentError;
pub use report::{AgentEnd, AgentReport};

use evidence::Evidence;
use raw_log::RawLog;
use session::Session;
use transcript::Transcript;

/// A coding agent and how to talk to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// What people call it.
    pub name: String,
    pub driver: Driver,
    /// A name to be found on the `PATH`, or a path.
    pub program: String,
    /// In front of what the driver adds.
    pub args: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// The Agent Client Protocol, version 1.
    Acp,
    /// A program's own non-interactive mode.
    Cli(Preset),
    /// Any command: the prompt comes on its standard input.
    Exec,
}

/// What an agent may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// May change the worktree.
    Writer,
    /// May read, and must leave everything as it is.
    Reader,
}

/// One piece of work for an agent.
#[derive(Clone, Copy, Debug)]
pub struct Assignment<'a> {
    pub role: Role,
    pub worktree: &'a Path,
    /// git for the worktree, where its own `.git` is not trusted.
    pub repository: Option<&'a Git>,
    pub prompt: &'a str,
    /// The only environment that the agent gets.
    pub environment: &'a Environment,
    pub limits: StepLimits,
    /// The worktree holds changes that only the interrupted session knows. An
    /// agent that has lost it is not given the work.
    pub only_resume: bool,
    /// Servers that are offered to the agent, where it supports them.
    pub mcp_servers: &'a [McpServer],
}

/// An MCP server that an agent can start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServer {
    pub name: String,
    pub program: String,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
}

/// Between the polite signal and the final one, for processes that an earlier
/// driver left running.
const SURVIVOR_GRACE: Duration = Duration::from_secs(2);

/// The raw stream goes to a file; only the end of this is used.
const CAPTURE: CaptureLimits = CaptureLimits {
    head: 16 * 1024,
    tail: 48 * 1024,
    spill: 0,
};

impl Agent {
    /// Runs the agent and returns its report. An error means that it could not be
    /// started or supervised.
    pub async fn work(
        &self,
        assignment: &Assignment<'_>,
        context: &StepContext,
    ) -> Result<AgentReport, AgentError> {
        end_earlier(context).await;
        let evidence = Evidence::before(assignment).await?;
        let session = Session::recall(self, assignment.worktree, context).await?;
        let mut log = RawLog::create(context).await?;
        let cmd = self.cmd(assignment, &mark(context.key()));
        let mut transcript = Transcript::default();
        let finished = match self.driver {
            Driver::Acp => {
                acp::run(cmd, assignment, session, context, &mut log, &mut transcript).await?
            }
            Driver::Cli(preset) => {
                cli::run(
                    preset,
                    cmd,
                    assignment,
                    session,
                    context,
                    &mut log,
                    &mut transcript,
                )
                .await?
            }
            Driver::Exec => exec::run(cmd, assignment, context, &mut log).await?,
        };
        log.close().await;
        let is_full = matches!(
            finished.outcome,
            Outcome::TimedOut {
                limit: Limit::Disk,
                ..
            }
        );
        let changed = !is_full && evidence.after(assignment).await?;
        Ok(AgentReport::new(transcript, &finished, changed))
    }

    /// Ends all processes left over from an interrupted agent of this step, and
    /// returns whether this agent would resume its session. If not, its
    /// unfinished changes have no known purpose.
    pub async fn goes_on(
        &self,
        worktree: &Path,
        context: &StepContext,
    ) -> Result<bool, AgentError> {
        end_earlier(context).await;
        let can_resume = match self.driver {
            Driver::Acp => true,
            Driver::Cli(preset) => preset.can_resume(),
            Driver::Exec => false,
        };
        let session = Session::recall(self, worktree, context).await?;
        Ok(can_resume && session.earlier.is_some())
    }

    fn cmd(&self, assignment: &Assignment<'_>, mark: &str) -> Cmd {
        Cmd::new(&self.program, assignment.worktree, assignment.environment)
            .args(&self.args)
            .mark(mark)
            .capture(CAPTURE)
            .wall_limit(assignment.limits.wall)
            .idle_limit(assignment.limits.idle)
            // Agents that wait for a person would wait forever.
            .env("NO_COLOR", "1")
            .env("TERM", "dumb")
    }
}

async fn end_earlier(context: &StepContext) {
    let key = context.key();
    let survivors = end_survivors(&mark(key), SURVIVOR_GRACE).await;
    if survivors > 0 {
        tracing::warn!(%key, survivors, "ended what an earlier agent left behind");
    }
}

/// The mark that all processes of an agent carry.
fn mark(key: &Key) -> String {
    format!("agent:{key}")
}
