//! Finds the coding agents on this machine.

use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_host::Cmd;
use baton_host::cmd::Environment;
use tokio_util::sync::CancellationToken;

use super::cli::Preset;
use super::{Agent, Driver};

/// An agent on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub agent: Agent,
    /// The file that its program resolves to.
    pub path: PathBuf,
    /// The first line of its version output; foreign text.
    pub version: Option<String>,
}

/// Known programs, with the better driver of each first.
const KNOWN: &[(&str, Driver, &str, &[&str])] = &[
    ("claude", Driver::Acp, "claude-agent-acp", &[]),
    ("claude", Driver::Cli(Preset::Claude), "claude", &[]),
    ("codex", Driver::Acp, "codex-acp", &[]),
    ("codex", Driver::Cli(Preset::Codex), "codex", &[]),
    ("gemini", Driver::Acp, "gemini", &["--acp"]),
    ("gemini", Driver::Cli(Preset::Gemini), "gemini", &[]),
    ("goose", Driver::Acp, "goose", &["acp"]),
    ("goose", Driver::Cli(Preset::Goose), "goose", &[]),
    ("opencode", Driver::Acp, "opencode", &["acp"]),
    ("opencode", Driver::Cli(Preset::OpenCode), "opencode", &[]),
    ("aider", Driver::Cli(Preset::Aider), "aider", &[]),
];

/// Some agents are slow to print their version.
const PATIENCE: Duration = Duration::from_secs(15);

const MAX_VERSION_LEN: usize = 100;

/// The agents on the `PATH` of `environment`, in order of preference, without
/// running any of them.
pub fn installed(environment: &Environment) -> Vec<Agent> {
    candidates(environment).map(|(agent, _)| agent).collect()
}

/// Like [`installed`], with the version of each.
pub async fn detect(environment: &Environment, cwd: &Path) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for (agent, path) in candidates(environment) {
        // The same program runs only once.
        let version = match found.iter().find(|other| other.path == path) {
            Some(other) => other.version.clone(),
            None => version(&path, environment, cwd).await,
        };
        found.push(Found {
            agent,
            path,
            version,
        });
    }
    found
}

fn candidates(environment: &Environment) -> impl Iterator<Item = (Agent, PathBuf)> {
    KNOWN.iter().filter_map(|(name, driver, program, args)| {
        let path = environment.find_program(program)?;
        let agent = Agent {
            name: (*name).to_owned(),
            driver: *driver,
            program: (*program).to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
        };
        Some((agent, path))
    })
}

async fn version(program: &Path, environment: &Environment, cwd: &Path) -> Option<String> {
    let finished = Cmd::new(program, cwd, environment)
        .arg("--version")
        .wall_limit(PATIENCE)
        .run(&CancellationToken::new())
        .await
        .ok()?;
    if !finished.success() {
        return None;
    }
    let text = finished.stdout.text();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let plain: String = line.chars().filter(|one| !one.is_control()).collect();
    let end = plain.floor_char_boundary(MAX_VERSION_LEN);
    Some(plain[..end].to_owned())
}
