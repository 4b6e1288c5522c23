//! How a forge is to be served.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use baton_host::cmd::Environment;
use baton_host::sandbox::SandboxSettings;

use crate::middleware::quota::Limits;

/// What a forge needs to know before it starts.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The database and the repositories; created when missing.
    pub data: PathBuf,
    /// Port 0 takes a free one.
    pub listen: SocketAddr,
    /// What people and programs call the forge, without a slash at the end;
    /// the address it listens on when not given.
    pub public_url: Option<String>,
    /// For git. Check commands are given only the search path, the language
    /// and the time zone of it.
    pub environment: Environment,
    /// What check commands find in their environment besides. Everybody whose
    /// commits are checked may read it.
    pub job_environment: Environment,
    /// What check commands may reach: as for the project's commands of a run,
    /// and the package registries. Off where no launcher is known.
    pub sandbox: SandboxSettings,
    pub runner: RunnerSettings,
    /// How long to wait before a failed delivery to a webhook is repeated, each
    /// time again; after the last one it is given up.
    pub hook_retries: Vec<Duration>,
    /// Whether webhooks may lead to this machine and its private networks.
    pub allow_private_webhooks: bool,
    /// How much a caller may ask.
    pub limits: Limits,
    /// Names by which the forge is asked besides `localhost`, the address it
    /// listens on, and the one in `public_url`; without ports.
    pub hosts: Vec<String>,
    pub connections: ConnectionLimits,
}

/// From a hiccup to a receiver that is being mended.
const HOOK_RETRIES: [Duration; 6] = [
    Duration::from_secs(1),
    Duration::from_secs(10),
    Duration::from_mins(1),
    Duration::from_mins(10),
    Duration::from_hours(1),
    Duration::from_hours(6),
];

impl Settings {
    /// A forge on a free port of this machine's own address.
    pub fn new(data: impl Into<PathBuf>, environment: Environment) -> Self {
        Self {
            data: data.into(),
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            public_url: None,
            environment,
            job_environment: Environment::default(),
            sandbox: SandboxSettings::off(),
            runner: RunnerSettings::default(),
            hook_retries: HOOK_RETRIES.to_vec(),
            allow_private_webhooks: false,
            limits: Limits::default(),
            hosts: Vec::new(),
            connections: ConnectionLimits::default(),
        }
    }
}

/// What connections may take of the forge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// How many are served at a time; others wait to be accepted.
    pub count: usize,
    /// How long a client may take from the first byte it could send to the end
    /// of a request's head. An idle connection is closed after it, too.
    pub head_time: Duration,
    /// How long a request's head may be, in bytes.
    pub head_size: usize,
}

/// The time is not a round one: a client that asks every ten seconds would
/// often meet the very moment in which its idle connection is closed.
impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            count: 512,
            head_time: Duration::from_secs(13),
            head_size: 64 * 1024,
        }
    }
}

/// How the built-in runner executes the checks of pushed commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunnerSettings {
    /// How many jobs are executed at a time; with none, they wait.
    pub workers: usize,
    /// How long a job may take that asks for nothing else, and what it may ask
    /// for at most.
    pub time_limit: Duration,
    /// How many bytes of a job's output are kept.
    pub log_limit: u64,
}

/// Two jobs leave a small machine some room for other work. An
/// hour is more than checks should take, and a log of 64 MiB is more than
/// anybody reads.
impl Default for RunnerSettings {
    fn default() -> Self {
        Self {
            workers: 2,
            time_limit: Duration::from_hours(1),
            log_limit: 64 * 1024 * 1024,
        }
    }
}
