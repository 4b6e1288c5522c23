//! The PR phase against a local forge and a small Jira, over real HTTP.

mod faults;
mod refusals;
mod scenarios;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use baton_host::cmd::Environment;
use baton_ops::pr::{self, Answer, Options, Pauses, Settings};
use baton_ops::pulls::PullAccess;
use baton_ops::question::{Ask, PendingAnswer, Question};
use baton_ops::{Context, Provided, Provider};
use baton_protocol::Request as _;
use baton_protocol::phase::pr::PrInput;
use baton_remote::github::{Auth, GitHub, Observer, Server};
use baton_remote::http::{Credential, Credentials, Secret};
use baton_remote::jira::{Jira, RestJira, Site};
use baton_testkit::Repo;
use baton_testkit::jira::{FakeJira, TOKEN, USER};
use baton_testkit::world::World;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// What differs from call to call.
#[derive(Default)]
struct Call {
    more: Value,
    jira: Option<Jira>,
    adopt: bool,
    answer: Option<char>,
    /// `octo`'s by default.
    token: Option<String>,
}

impl Call {
    /// About the issue that the Jira has.
    fn with(jira: &FakeJira) -> Self {
        Self {
            more: json!({ "jira_key": "PROJ-123" }),
            jira: Some(client(jira, TOKEN)),
            ..Self::default()
        }
    }

    fn asking(more: Value) -> Self {
        Self {
            more,
            ..Self::default()
        }
    }
}

struct Says(Option<char>);

impl Ask for Says {
    fn ask<'a>(&'a self, _: &'a Question) -> PendingAnswer<'a> {
        Box::pin(async { self.0 })
    }
}

/// The forge of a test.
struct Servers {
    github: GitHub,
}

impl Provider for Servers {
    fn folder(&self) -> &Path {
        Path::new("/")
    }

    fn pulls<'a>(&'a self, _: &'a [&'a str], _: &'a CancellationToken) -> Provided<'a, PullAccess> {
        unreachable!("the phase asks for a client")
    }

    fn github<'a>(&'a self, _: &'a str, _: &'a CancellationToken) -> Provided<'a, GitHub> {
        Box::pin(async { Ok(self.github.clone()) })
    }
}

/// Plays the phase to its end, the delivery of its answer included.
fn play(world: &World, repo: &Repo<'_>, call: Call) -> Shown {
    let answer = undelivered(world, repo, call);
    let shown = Shown {
        output: serde_json::to_value(&answer.output).unwrap(),
        details: serde_json::to_value(&answer.details).unwrap(),
        web_url: world.web_url(),
    };
    answer.delivered();
    shown
}

fn undelivered(world: &World, repo: &Repo<'_>, call: Call) -> Answer {
    let mut request = json!({
        "branch": "topic",
        "title": "feat: add a topic",
        "description": "Adds a topic, and says why.",
        "working_directory": repo.path(),
    });
    if let Some(more) = call.more.as_object() {
        for (name, value) in more {
            request[name] = value.clone();
        }
    }
    let input = match PrInput::read(&request) {
        Ok(input) => input,
        Err(problems) => {
            let errors = problems
                .iter()
                .map(baton_protocol::phase::pr::PrError::validation);
            return pr::refused(errors.collect());
        }
    };
    let environment: Environment = world.sandbox.environment().clone().into_iter().collect();
    let place = Server::at(&world.api_url());
    let mut settings = place.settings("baton-tests");
    settings.retry.first_pause = Duration::from_millis(1);
    let token = call.token.as_deref().unwrap_or(world.token("octo"));
    let token = Auth::Token(Secret::new(token));
    let github = GitHub::new(&place, token, settings, Observer::default()).unwrap();
    let planned = Pauses::default();
    // As many tries as users get, in less time.
    let short = |pauses: &[Duration]| vec![Duration::from_millis(10); pauses.len()];
    let cx = Context::new(environment, Arc::new(Servers { github }));
    let cx = cx.with_questions(Says(call.answer));
    let settings = Settings {
        adopt_existing: call.adopt,
        acronyms: vec!["CR".to_owned()],
        hooks: true,
        pauses: Pauses {
            push: short(&planned.push),
            create: short(&planned.create),
            link: short(&planned.link),
            mark_ready: short(&planned.mark_ready),
        },
    };
    let options = Options {
        jira: Ok(call.jira),
        state_dir: Some(world.sandbox.state_folder()),
        ..Options::new(&cx, &input, settings)
    };
    world.block_on(pr::run(&cx, &input, options))
}

fn client(jira: &FakeJira, token: &str) -> Jira {
    let site = Site::new(&jira.url());
    let mut settings = site.settings("baton-tests");
    let credential = Credential::basic(USER, &Secret::new(token)).unwrap();
    settings.credentials = Credentials::Fixed(credential);
    settings.retry.first_pause = Duration::from_millis(1);
    Jira::Rest(RestJira::new(&site, settings).unwrap())
}

/// An answer, as JSON.
struct Shown {
    output: Value,
    details: Value,
    web_url: String,
}

impl Shown {
    /// Without what differs from run to run, and held to the schema.
    #[track_caller]
    fn text(&self) -> String {
        let schema = baton_protocol::schema::find("pr.output").unwrap();
        let validator = jsonschema::validator_for(&schema.json_schema()).unwrap();
        if let Err(error) = validator.validate(&self.output) {
            panic!("{error}: {:#}", self.output);
        }
        let mut output = self.output.clone();
        output["execution_time_ms"] = json!(0);
        format!("{output:#}").replace(&self.web_url, "http://forge")
    }

    fn errors(&self) -> String {
        format!("{:#}", self.output["errors"]).replace(&self.web_url, "http://forge")
    }

    /// `type: message` of the first error.
    #[track_caller]
    fn reason(&self) -> String {
        let error = &self.output["errors"][0];
        let text = format!("{}: {}", error["type"], error["message"]);
        text.replace('"', "").replace(&self.web_url, "http://forge")
    }

    #[track_caller]
    fn jira(&self) -> String {
        self.output["jira_status"].to_string()
    }
}

/// A branch with a commit that is not pushed.
fn prepare(world: &World) -> Repo<'_> {
    let repo = world.checkout();
    add_branch(&repo, "topic");
    repo
}

fn add_branch(repo: &Repo<'_>, name: &str) {
    repo.branch(name);
    repo.commit_file(&format!("{name}.txt"), "one\n", "Add a topic");
    repo.checkout("main");
}

fn pulls(world: &World) -> Vec<Value> {
    let answer = world
        .client("octo")
        .get("/repos/octo/demo/pulls?state=all&per_page=100");
    answer.expect(200).json().as_array().unwrap().clone()
}
