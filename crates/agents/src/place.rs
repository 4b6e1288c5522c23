//! Where a run works: the checkout, the server and the settings that its steps share.

use std::path::PathBuf;
use std::time::Duration;

use baton_engine::agent::{Agent, McpServer};
use baton_host::cmd::Environment;
use baton_host::sandbox::SandboxSettings;
use baton_ops::Preferred;
use baton_ops::pulls::{OptionalChecks, Workplace};
use baton_ops::validation::{Scanner, UnchosenTools};
use baton_protocol::Repository;
use baton_protocol::cursor::CursorKey;
use baton_remote::github::GitHub;
use baton_remote::github::enums::MergeMethod;
use baton_review::Severity;

/// Where a run happens and what its agents may use there.
#[derive(Clone, Debug)]
pub struct Place {
    pub github: GitHub,
    pub repository: Repository,
    /// The user's checkout. Worktrees lie beside it; it is not changed itself
    /// unless the work is to be done in place.
    pub checkout: PathBuf,
    /// For the pull-request tools.
    pub workplace: Workplace,
    pub cursors: CursorKey,
    /// What is remembered between calls, if anything is.
    pub state_dir: Option<PathBuf>,
    /// For the project's own commands: builds, tests, generators.
    pub environment: Environment,
    /// For git, which works with the user's ssh agent and credential helpers.
    pub git_environment: Environment,
    /// All that a coding agent gets to see of the environment.
    pub agent_environment: Environment,
    /// Writes and fixes code.
    pub coder: Agent,
    /// Why it cannot, and what to do about that, where its program is not on this
    /// machine. Only the steps in which it works need it.
    pub coder_missing: Option<String>,
    /// Reads what was written, besides the review engine.
    pub reviewer: Option<Agent>,
    /// What coding agents and project commands may reach.
    pub sandbox: SandboxSettings,
    /// Offered to coding agents.
    pub mcp_servers: Vec<McpServer>,
    pub settings: Settings,
}

impl Place {
    /// What acceptances of the repository are recorded under: its host and name.
    pub fn identity(&self) -> String {
        repository_identity(&self.github.server().host(), &self.repository)
    }
}

/// What acceptances of a repository are recorded under, wherever it is checked out.
pub fn repository_identity(host: &str, repository: &Repository) -> String {
    format!("{host}/{repository}").to_lowercase()
}

/// What a team decides.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Work in the checkout itself instead of a worktree.
    pub in_place: bool,
    pub merge_method: MergeMethod,
    /// Only words of people with write access reach the agents.
    pub lockdown: bool,
    /// Commands that outrank what is detected.
    pub preferred: Preferred,
    pub unchosen: UnchosenTools,
    /// How long the validator waits for CI before it asks.
    pub ci_patience: Duration,
    /// Between two looks at CI.
    pub ci_interval: Duration,
    pub optional_checks: OptionalChecks,
    /// Whether there has to be CI: yes, no, or only where no test was run here.
    pub require_ci: Option<bool>,
    /// How long a project's own command (install, build) may take.
    pub command_limit: Duration,
    /// Findings of a review at or above it have to be dealt with.
    pub threshold: Severity,
    pub publishing: Publishing,
    /// Installed scanners that join the review.
    pub scanners: Vec<Scanner>,
    /// A command that writes code before the build, where the project has one
    /// that cannot be seen from its files.
    pub generate: Option<String>,
    /// How the project is looked at while it runs, if it is a server.
    pub dev_server: Option<DevServer>,
    /// The first of the ports that runs are given, a hundred in all.
    pub first_port: u16,
}

/// How much a branch may publish.
#[derive(Clone, Copy, Debug)]
pub struct Publishing {
    /// The size of one file.
    pub file_bytes: u64,
    /// New versions of files, over all commits.
    pub files: usize,
}

impl Default for Publishing {
    fn default() -> Self {
        Self {
            file_bytes: 5 << 20,
            files: 500,
        }
    }
}

/// A server that is started once in a new workspace, to see that it starts.
#[derive(Clone, Debug)]
pub struct DevServer {
    /// It finds its port in `PORT`.
    pub command: String,
    /// What is asked for, such as `/health`.
    pub path: String,
    /// How long it may take to answer.
    pub patience: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            in_place: false,
            merge_method: MergeMethod::Squash,
            lockdown: false,
            preferred: Preferred::default(),
            unchosen: UnchosenTools::Pass,
            ci_patience: Duration::from_mins(30),
            ci_interval: Duration::from_secs(15),
            optional_checks: OptionalChecks::Block,
            require_ci: None,
            command_limit: Duration::from_mins(20),
            threshold: Severity::Medium,
            publishing: Publishing::default(),
            scanners: Vec::new(),
            generate: None,
            dev_server: None,
            first_port: 3100,
        }
    }
}
