//! Where a run happens: its checkout, its server, its agents. What was decided
//! when it began is read from its goal, what belongs to this machine and its
//! user from the configuration.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use baton_agents::{DevServer, Place, PlaceFuture, Places, Publishing, Settings};
use baton_engine::agent::McpServer;
use baton_host::cmd::Environment;
use baton_protocol::Repository;
use baton_remote::github::Server;
use baton_remote::github::enums::MergeMethod;
use baton_workflow::{Failure, FailureKind, Goal};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::{agents, begun, sandbox};
use crate::config::Config;
use crate::environment::TOKENS;
use crate::error::CommandError;
use crate::github::{self, GitHubAccess};
use crate::session::Session;
use crate::settings;
use crate::terminal::sanitize;

/// The names under which a goal keeps its place.
pub(super) mod names {
    pub(crate) const CHECKOUT: &str = "checkout";
    pub(crate) const API_URL: &str = "api_url";
    pub(crate) const AGENT: &str = "agent";
    pub(crate) const REVIEWER: &str = "reviewer";
    pub(crate) const IN_PLACE: &str = "in_place";
    pub(crate) const MERGE_METHOD: &str = "merge_method";
    pub(crate) const LOCKDOWN: &str = "lockdown";
    /// The agent that writes, with its program and arguments.
    pub(crate) const CODER: &str = "coder";
    /// The same for the one that reads.
    pub(crate) const READER: &str = "reader";
    /// What the configuration said when the run began.
    pub(crate) const SETTINGS: &str = "settings";
}

/// The repository, and what a goal says about its place.
type PlaceKey = (String, BTreeMap<String, String>);

pub(super) struct RunPlaces {
    session: Session,
    /// Those that were found, by what the goal says.
    known: Mutex<BTreeMap<PlaceKey, Arc<Place>>>,
}

impl RunPlaces {
    pub(super) fn new(session: &Session) -> Self {
        Self {
            session: session.clone(),
            known: Mutex::default(),
        }
    }

    async fn find(&self, goal: &Goal) -> Result<Place, CommandError> {
        let kept = |name: &str| goal.place.get(name).map(String::as_str);
        let (Some(checkout), Some(api_url)) = (kept(names::CHECKOUT), kept(names::API_URL)) else {
            return Err(
                CommandError::missing("the run does not say where its checkout is")
                    .hint("Start a new run."),
            );
        };
        let checkout = PathBuf::from(checkout);
        if !checkout.is_dir() {
            return Err(CommandError::missing(format!(
                "the checkout {} is not there any more",
                sanitize(&checkout.to_string_lossy())
            ))
            .hint("Clone the repository there again, then try again."));
        }
        let repository = Repository::parse(&goal.repository)
            .map_err(|error| CommandError::missing(error.to_string()).hint("Start a new run."))?;
        let config = begun::config(goal, self.session.config_at(&checkout)?);
        let environment = &self.session.environment;
        let never = CancellationToken::new();
        let server = Server::at(api_url);
        let access = GitHubAccess::new(&self.session)?;
        let github = access
            .with_login(&server, &never)
            .await
            .map_err(github::command_error)?;
        let workplace = access
            .workplace(&server, checkout.clone(), &never)
            .await
            .map_err(github::command_error)?;
        let coder = begun::coder(goal, &config, environment);
        Ok(Place {
            github,
            repository,
            workplace,
            cursors: access.cursors(),
            state_dir: config.state_dir(environment),
            environment: project_environment(environment, &config),
            git_environment: without_our_secrets(environment),
            agent_environment: agents::environment(environment, &config),
            coder: coder.agent,
            coder_missing: coder.missing,
            reviewer: begun::reviewer(goal, &config, environment)?,
            sandbox: sandbox::settings(&config, environment)?,
            mcp_servers: mcp_servers(),
            settings: run_settings(&config, goal, &server, environment),
            checkout,
        })
    }
}

impl Places for RunPlaces {
    fn place<'a>(&'a self, goal: &'a Goal) -> PlaceFuture<'a> {
        Box::pin(async move {
            let mut known = self.known.lock().await;
            let key = (goal.repository.clone(), goal.place.clone());
            if let Some(place) = known.get(&key) {
                return Ok(Arc::clone(place));
            }
            let place = self.find(goal).await.map_err(|error| failure(&error))?;
            let place = Arc::new(place);
            // One whose agent is missing is looked at again: it may be installed by then.
            if place.coder_missing.is_none() {
                known.insert(key, Arc::clone(&place));
            }
            Ok(place)
        })
    }
}

fn run_settings(
    config: &Config,
    goal: &Goal,
    server: &Server,
    environment: &Environment,
) -> Settings {
    let operations = settings::from_config(config, environment);
    let text = |key| config.get(key).map(|value| value.text.clone());
    let default = Settings::default();
    let method = goal.place.get(names::MERGE_METHOD).map(String::as_str);
    Settings {
        in_place: goal.place.contains_key(names::IN_PLACE),
        lockdown: goal.place.contains_key(names::LOCKDOWN),
        merge_method: match method {
            Some("merge") => MergeMethod::Merge,
            Some("rebase") => MergeMethod::Rebase,
            _ => MergeMethod::Squash,
        },
        preferred: operations.preferred(),
        unchosen: operations.unchosen,
        ci_patience: config
            .count("run.ci_minutes")
            .map_or(default.ci_patience, |minutes| {
                Duration::from_secs(u64::from(minutes) * 60)
            }),
        ci_interval: if is_on_this_machine(server) {
            LOCAL_CI_INTERVAL
        } else {
            default.ci_interval
        },
        optional_checks: config.optional_checks(),
        require_ci: config.flag("run.require_ci"),
        scanners: operations.scanners,
        threshold: operations.threshold,
        publishing: Publishing {
            file_bytes: config
                .count("run.max_file_mb")
                .map_or(default.publishing.file_bytes, |count| {
                    u64::from(count) << 20
                }),
            files: config
                .count("run.max_files")
                .map_or(default.publishing.files, |count| count as usize),
        },
        generate: text("commands.generate"),
        dev_server: text("commands.serve").map(|command| DevServer {
            command,
            path: text("run.health_path").unwrap_or_else(|| "/".to_owned()),
            patience: SERVER_PATIENCE,
        }),
        first_port: config
            .count("run.first_port")
            .and_then(|port| u16::try_from(port).ok())
            .unwrap_or(default.first_port),
        ..default
    }
}

/// A server that compiles before it starts takes its time.
const SERVER_PATIENCE: Duration = Duration::from_mins(2);

/// Asking a forge on this machine costs next to nothing.
const LOCAL_CI_INTERVAL: Duration = Duration::from_millis(500);

fn is_on_this_machine(server: &Server) -> bool {
    let host = server.host();
    let name = host
        .rsplit_once(':')
        .map_or(host.as_str(), |(name, _)| name);
    matches!(name, "127.0.0.1" | "localhost" | "[::1]")
}

/// What a goal keeps of the configuration that it was begun with.
pub(super) fn kept_settings(config: &Config, place: &mut BTreeMap<String, String>) {
    if config.flag("run.in_place") == Some(true) {
        place.insert(names::IN_PLACE.to_owned(), "true".to_owned());
    }
    if let Some(method) = config.get("run.merge_method") {
        place.insert(names::MERGE_METHOD.to_owned(), method.text.clone());
    }
}

/// baton's own tools, without those that steer runs: an agent must not answer
/// the questions that are asked about its work.
fn mcp_servers() -> Vec<McpServer> {
    let program = std::env::current_exe().ok();
    let program = program.and_then(|path| path.to_str().map(str::to_owned));
    program
        .map(|program| McpServer {
            name: "baton".to_owned(),
            program,
            args: vec!["mcp".to_owned(), "--no-workflows".to_owned()],
            env: Vec::new(),
        })
        .into_iter()
        .collect()
}

/// What builds and tests of a project get to see.
fn project_environment(all: &Environment, config: &Config) -> Environment {
    all.for_untrusted(&config.list("run.environment"))
        .with_proxies_of(all)
}

/// For git: the user's ssh agent and credential helpers are what it works with.
/// It is given its login by other means.
fn without_our_secrets(environment: &Environment) -> Environment {
    let mut rest = environment.clone();
    for name in TOKENS {
        rest.remove(name);
    }
    rest
}

fn failure(error: &CommandError) -> Failure {
    let hints = error.hints().join(" ");
    let message = if hints.is_empty() {
        error.in_one_line()
    } else {
        format!("{}. {hints}", error.in_one_line())
    };
    Failure::new(FailureKind::Permanent, message)
}

/// The folder of a run's checkout, as its goal says.
pub(crate) fn checkout(goal: &Goal) -> Option<&Path> {
    goal.place.get(names::CHECKOUT).map(Path::new)
}

/// The address of the server that a run talks to.
pub(crate) fn api_url(goal: &Goal) -> Option<&str> {
    goal.place.get(names::API_URL).map(String::as_str)
}

/// What the configuration says now that a run does otherwise, a sentence each.
pub(super) fn differences(goal: &Goal, session: &Session) -> Vec<String> {
    let config = checkout(goal).map(|folder| session.config_at(folder));
    match config {
        Some(Ok(config)) => begun::differences(goal, &config, &session.environment),
        // What is wrong with it, the first step says.
        _ => Vec::new(),
    }
}

/// The coding agent that a run was begun with.
pub(crate) fn agent(goal: &Goal) -> Option<&str> {
    goal.place.get(names::AGENT).map(String::as_str)
}
