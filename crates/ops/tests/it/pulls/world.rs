//! A caller in the world of `baton_testkit::world`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use baton_host::git::Authorization;
use baton_ops::pulls::{self, OptionalChecks, PullAccess, Workplace};
use baton_ops::{Context, EventSink, OpError, PollPolicy, Provided, Provider};
use baton_protocol::cursor::CursorKey;
use baton_remote::github::{Auth, Event, GitHub, Observer, Server};
use baton_remote::http::Secret;
use baton_testkit::world::{Withheld, World};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// `octo`, who calls operations. What is asked of the forge is counted.
pub(crate) struct ToolCaller<'w> {
    pub(crate) server: PullAccess,
    pub(crate) poll: PollPolicy,
    pub(crate) cancel: CancellationToken,
    pub(crate) events: EventSink,
    pub(crate) lockdown: bool,
    world: &'w World,
    points: Arc<AtomicU64>,
}

/// The one server of the world.
struct Connection(PullAccess);

impl Provider for Connection {
    fn folder(&self) -> &Path {
        let folder = self.0.workplace.folder.as_deref();
        folder.unwrap_or(Path::new("/"))
    }

    fn pulls<'a>(&'a self, _: &'a [&'a str], _: &'a CancellationToken) -> Provided<'a, PullAccess> {
        Box::pin(async { Ok(self.0.clone()) })
    }

    fn github<'a>(&'a self, _: &'a str, _: &'a CancellationToken) -> Provided<'a, GitHub> {
        Box::pin(async { Ok(self.0.github.clone()) })
    }
}

/// What answers cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) requests: u64,
    /// Of GraphQL's hourly allowance.
    pub(crate) points: u64,
}

impl<'w> ToolCaller<'w> {
    /// Outside of any checkout.
    pub(crate) fn new(world: &'w World) -> Self {
        Self::for_user(world, "octo")
    }

    /// Another user.
    pub(crate) fn for_user(world: &'w World, login: &str) -> Self {
        Self::at(world, login, &world.api_url())
    }

    /// With a token that may not read this.
    pub(crate) fn withholding(world: &'w World, what: &[Withheld]) -> Self {
        Self::at(world, "octo", &world.withholding(what))
    }

    fn at(world: &'w World, login: &str, api_url: &str) -> Self {
        let points = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&points);
        let observer = Observer::new(move |event| {
            if let Event::PointsSpent { cost, .. } = event {
                counter.fetch_add(*cost, Ordering::Relaxed);
            }
        });
        let server = Server::at(api_url);
        let mut settings = server.settings("baton-tests");
        // What is tried again is tried again soon, and what has to wait longer
        // is given up.
        settings.retry.first_pause = Duration::from_millis(10);
        settings.limits.overall = Duration::from_mins(4);
        let auth = Auth::Token(Secret::new(world.token(login)));
        let server = PullAccess {
            github: GitHub::new(&server, auth, settings, observer).unwrap(),
            workplace: Workplace {
                folder: None,
                clones: world.sandbox.path("clones"),
                environment: world.sandbox.environment().clone().into_iter().collect(),
                web_url: world.web_url(),
                authorization: Some(Authorization {
                    origin: world.web_url(),
                    username: "x-access-token".to_owned(),
                    secret: world.token(login).to_string(),
                }),
            },
            here: None,
            cursors: CursorKey::new([7; 32]),
            state: Some(world.sandbox.state_folder()),
            optional_checks: OptionalChecks::Block,
        };
        Self {
            server,
            poll: PollPolicy {
                max_wait: Duration::from_secs(20),
                interval: Duration::from_millis(20),
            },
            cancel: CancellationToken::new(),
            events: EventSink::default(),
            lockdown: false,
            world,
            points,
        }
    }

    pub(crate) fn context(&self) -> Context {
        let environment = self.server.workplace.environment.clone();
        Context {
            cancel: self.cancel.clone(),
            events: self.events.clone(),
            poll: self.poll,
            lockdown: self.lockdown,
            ..Context::new(environment, Arc::new(Connection(self.server.clone())))
        }
    }

    pub(crate) fn call(&self, tool: &str, input: &Value) -> Result<Value, OpError> {
        let mut tools = pulls::operations().into_iter();
        let tool = tools.find(|one| one.meta.name == tool);
        let tool = tool.expect("there is such a tool");
        let called = tool.call(self.context(), input.clone());
        Ok(self.world.block_on(called)?.to_json())
    }

    /// The output of the contract.
    #[track_caller]
    pub(crate) fn ask(&self, tool: &str, input: &Value) -> Value {
        self.call(tool, input).unwrap()
    }

    /// The response to a call that cannot be answered, as JSON.
    #[track_caller]
    pub(crate) fn error(&self, tool: &str, input: &Value) -> String {
        match self.call(tool, input) {
            Err(OpError::Failed { response, .. }) => {
                self.shown(&serde_json::to_value(response).unwrap())
            }
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn spent(&self) -> Spent {
        Spent {
            requests: self.server.github.requests(),
            points: self.points.load(Ordering::Relaxed),
        }
    }

    /// For a snapshot: the address is another one in every run.
    pub(crate) fn shown(&self, output: &Value) -> String {
        let text = serde_json::to_string_pretty(output).unwrap();
        text.replace(&self.world.web_url(), "http://forge")
    }
}
