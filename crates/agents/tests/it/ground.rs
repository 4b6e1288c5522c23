//! What a place of a run is made of, in words that another process can be told.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use baton_agents::{Place, PlaceFuture, Places, Settings};
use baton_engine::agent::{Agent, Driver};
use baton_host::cmd::Environment;
use baton_host::git::Authorization;
use baton_ops::Preferred;
use baton_ops::pulls::Workplace;
use baton_protocol::Repository;
use baton_protocol::cursor::CursorKey;
use baton_remote::github::{Auth, GitHub, Observer, Server};
use baton_remote::http::{self, Secret};
use baton_workflow::{Goal, Policy, Until};

/// A sandbox with a checkout of `octo/demo`, and the forge that it comes from.
pub(crate) struct Ground {
    pub(crate) root: PathBuf,
    pub(crate) web_url: String,
    pub(crate) token: String,
    pub(crate) environment: Environment,
    pub(crate) first_port: u16,
}

impl Ground {
    /// `watch` sees the requests to the forge.
    pub(crate) fn place(&self, watch: http::Observer) -> Place {
        let server = Server::at(&format!("{}/api/v3", self.web_url));
        let mut settings = server.settings("baton-tests");
        settings.retry.first_pause = Duration::from_millis(10);
        settings.observer = watch;
        let auth = Auth::Token(Secret::new(&self.token));
        Place {
            github: GitHub::new(&server, auth, settings, Observer::default()).unwrap(),
            repository: Repository::parse("octo/demo").unwrap(),
            checkout: self.root.join("checkout"),
            workplace: Workplace {
                folder: None,
                clones: self.root.join("clones"),
                environment: self.environment.clone(),
                web_url: self.web_url.clone(),
                authorization: Some(Authorization {
                    origin: self.web_url.clone(),
                    username: "x-access-token".to_owned(),
                    secret: self.token.clone(),
                }),
            },
            cursors: CursorKey::new([7; 32]),
            state_dir: Some(self.root.join("state")),
            environment: self.environment.clone(),
            git_environment: self.environment.clone(),
            agent_environment: self.environment.clone(),
            coder: Agent {
                name: "nobody".to_owned(),
                driver: Driver::Exec,
                program: "false".to_owned(),
                args: Vec::new(),
            },
            coder_missing: None,
            reviewer: None,
            sandbox: baton_host::sandbox::SandboxSettings::off(),
            mcp_servers: Vec::new(),
            settings: Settings {
                first_port: self.first_port,
                ci_patience: Duration::from_secs(20),
                ci_interval: Duration::from_millis(20),
                ..Settings::default()
            },
        }
    }
}

/// A coding agent that is the shell script `agents/NAME` of the sandbox.
pub(crate) fn script_agent(root: &std::path::Path, name: &str) -> Agent {
    let path = root.join("agents").join(name);
    Agent {
        name: name.to_owned(),
        driver: Driver::Exec,
        program: "sh".to_owned(),
        args: vec![path.to_string_lossy().into_owned()],
    }
}

/// The project has no build, tests, linter or formatter to speak of.
pub(crate) fn no_tools() -> Preferred {
    let nothing = || Some("true".to_owned());
    Preferred {
        build: nothing(),
        test: nothing(),
        lint: nothing(),
        format: nothing(),
    }
}

/// A request in words; `tend N` is a pull request that is open already.
pub(crate) fn wish(request: &str) -> Goal {
    let number = request.strip_prefix("tend ");
    Goal {
        request: request.to_owned(),
        repository: "octo/demo".to_owned(),
        issue: None,
        pull_request: number.and_then(|number| number.parse().ok()),
        base: None,
        place: std::collections::BTreeMap::default(),
    }
}

/// Without pauses that a test would have to sit out.
pub(crate) fn hasty() -> Policy {
    Policy {
        retry_pauses_ms: vec![1, 1],
        ..Policy::default()
    }
}

/// The rules for such a goal.
pub(crate) fn policy_for(goal: &Goal) -> Policy {
    let until = match goal.pull_request {
        Some(_) => Until::Ready,
        None => Until::Merge,
    };
    Policy { until, ..hasty() }
}

/// All runs happen in one place.
pub(crate) struct Here(pub(crate) Arc<Place>);

impl Places for Here {
    fn place<'a>(&'a self, _: &'a Goal) -> PlaceFuture<'a> {
        let place = Arc::clone(&self.0);
        Box::pin(async move { Ok(place) })
    }
}
