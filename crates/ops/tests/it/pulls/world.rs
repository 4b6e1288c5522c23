//! A desk in the world of `baton_testkit::world`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use baton_host::git::Authorization;
use baton_ops::pulls::{self, Desk, OptionalChecks, Patience, Progress, ToolError, Workplace};
use baton_protocol::cursor::CursorKey;
use baton_remote::github::{Auth, Event, GitHub, Observer, Server};
use baton_remote::http::Secret;
use baton_testkit::world::World;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// `octo` at a desk. What is asked of the forge is counted.
pub(crate) struct Office<'w> {
    pub(crate) desk: Desk,
    world: &'w World,
    points: Arc<AtomicU64>,
}

/// What answers cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) requests: u64,
    /// Of GraphQL's hourly allowance.
    pub(crate) points: u64,
}

impl<'w> Office<'w> {
    /// Outside of any checkout.
    pub(crate) fn new(world: &'w World) -> Self {
        Self::of(world, "octo")
    }

    /// Somebody else's.
    pub(crate) fn of(world: &'w World, login: &str) -> Self {
        let points = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&points);
        let observer = Observer::new(move |event| {
            if let Event::PointsSpent { cost, .. } = event {
                counter.fetch_add(*cost, Ordering::Relaxed);
            }
        });
        let server = Server::at(&world.api_url());
        let mut settings = server.settings("baton-tests");
        // What is tried again is tried again soon, and what has to wait longer
        // is given up.
        settings.retry.first_pause = Duration::from_millis(10);
        settings.limits.overall = Duration::from_mins(4);
        let auth = Auth::Token(Secret::new(world.token(login)));
        let desk = Desk {
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
            patience: Patience {
                longest: Duration::from_secs(20),
                interval: Duration::from_millis(20),
            },
            optional_checks: OptionalChecks::Block,
            progress: Progress::default(),
            cancel: CancellationToken::new(),
        };
        Self {
            desk,
            world,
            points,
        }
    }

    pub(crate) fn call(&self, tool: &str, input: &Value) -> Result<Value, ToolError> {
        let tool = pulls::find(tool).expect("there is such a tool");
        let answer = self.world.block_on(tool.call(&self.desk, input))?;
        Ok(answer.to_json())
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
            Err(ToolError::Failed { response, .. }) => {
                self.shown(&serde_json::to_value(response).unwrap())
            }
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn spent(&self) -> Spent {
        Spent {
            requests: self.desk.github.requests(),
            points: self.points.load(Ordering::Relaxed),
        }
    }

    /// For a snapshot: the address is another one in every run.
    pub(crate) fn shown(&self, output: &Value) -> String {
        let text = serde_json::to_string_pretty(output).unwrap();
        text.replace(&self.world.web_url(), "http://forge")
    }
}
