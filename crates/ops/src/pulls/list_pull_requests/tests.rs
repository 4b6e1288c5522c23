use std::path::Path;
use std::sync::Arc;

use baton_protocol::cursor::CursorKey;
use baton_protocol::{Repository, Request as _};
use baton_remote::github::{Auth, GitHub, Observer, Server};
use baton_remote::http::Secret;
use baton_testkit::world::{JobEnd, Withheld, World};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::context::{Provided, Provider};
use crate::operation::Output as _;
use crate::pulls::{OptionalChecks, Workplace};

/// `octo`, in a checkout of `octo/demo`.
struct Octo {
    github: GitHub,
    workplace: Workplace,
}

impl Octo {
    fn new(world: &World, api_url: &str) -> Self {
        let server = Server::at(api_url);
        let settings = server.settings("baton-tests");
        let auth = Auth::Token(Secret::new(world.token("octo")));
        Self {
            github: GitHub::new(&server, auth, settings, Observer::default()).unwrap(),
            workplace: Workplace {
                folder: None,
                clones: world.sandbox.path("clones"),
                environment: world.sandbox.environment().clone().into_iter().collect(),
                web_url: world.web_url(),
                authorization: None,
            },
        }
    }
}

impl Provider for Octo {
    fn folder(&self) -> &Path {
        Path::new("/")
    }

    fn pulls<'a>(&'a self, call: &'a Context, _: &'a [&'a str]) -> Provided<'a, PullContext> {
        let connected = PullContext {
            call: call.clone(),
            github: self.github.clone(),
            workplace: self.workplace.clone(),
            here: Some(Repository::new("octo", "demo").unwrap()),
            cursors: CursorKey::new([7; 32]),
            state: None,
            optional_checks: OptionalChecks::Block,
        };
        Box::pin(async { Ok(connected) })
    }

    fn github<'a>(&'a self, _: &'a str, _: &'a CancellationToken) -> Provided<'a, GitHub> {
        Box::pin(async { Ok(self.github.clone()) })
    }
}

fn list(world: &World, api_url: &str, input: &Value) -> Result<Value, OpError> {
    let octo = Octo::new(world, api_url);
    let cx = Context::new(octo.workplace.environment.clone(), Arc::new(octo));
    let input = ListPullRequestsInput::read(input).unwrap();
    let output = world.block_on(ListPullRequests::run(&cx, input))?;
    Ok(output.to_json())
}

/// Number, branches and standing of each, and what came with them.
fn shown(output: &Value) -> String {
    let pulls = output["pull_requests"].as_array().unwrap().iter();
    let lines = pulls.map(|pull| {
        let text = |field: &str| match &pull[field] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        format!(
            "#{} {} by {}: {} → {}, {}, ci {}, review {}, mergeable {}, draft {}, labels {}\n",
            text("number"),
            text("title"),
            text("author"),
            text("head"),
            text("base"),
            text("state"),
            text("ci"),
            text("review"),
            text("mergeable"),
            text("draft"),
            text("labels"),
        )
    });
    let message = output["message"].as_str().unwrap_or("no message");
    format!(
        "{}{} in all, {message}",
        lines.collect::<String>(),
        output["total"]
    )
}

/// Three pull requests: the first passed CI, the last is labelled.
fn three_pulls() -> World {
    let world = World::start();
    let repo = world.checkout();
    for (name, file) in [("one", "a"), ("two", "b"), ("three", "c")] {
        repo.checkout("main");
        repo.branch(name);
        let head = repo.commit_file(file, "", &format!("Add {file}"));
        world.push(&repo, name);
        world.open_pull(&format!("Add {name}"), name, "main");
        if name == "one" {
            let run = world.start_run("CI", &head, &["test"]);
            run.end("test", &JobEnd::success());
        }
    }
    let labels = json!({ "labels": ["urgent"] });
    let octo = world.client("octo");
    octo.post("/repos/octo/demo/issues/3/labels", &labels)
        .expect(200);
    world
}

#[test]
fn the_newest_come_first_with_how_they_stand() {
    let world = three_pulls();
    let all = list(&world, &world.api_url(), &json!({})).unwrap();
    insta::assert_snapshot!(shown(&all), @r#"
    #3 Add three by octo: three → main, open, ci none, review none, mergeable yes, draft false, labels ["urgent"]
    #2 Add two by octo: two → main, open, ci none, review none, mergeable yes, draft false, labels []
    #1 Add one by octo: one → main, open, ci passed, review none, mergeable yes, draft false, labels []
    3 in all, no message
    "#);
    let urgent = json!({ "repository": "octo/demo", "labels": ["urgent"], "author": "@Octo" });
    let urgent = list(&world, &world.api_url(), &urgent).unwrap();
    assert_eq!(urgent["total"], 1);
    assert_eq!(urgent["pull_requests"][0]["pr"], "octo/demo#3");
    for none in [
        json!({ "author": "guest" }),
        json!({ "base": "gone" }),
        json!({ "state": "merged" }),
    ] {
        let found = list(&world, &world.api_url(), &none).unwrap();
        assert_eq!(found["total"], 0, "{none}");
    }
}

#[test]
fn pages_follow_each_other() {
    let world = three_pulls();
    let first = list(&world, &world.api_url(), &json!({ "limit": 2 })).unwrap();
    let next = json!({ "limit": 2, "cursor": first["nextCursor"] });
    let second = list(&world, &world.api_url(), &next).unwrap();
    assert_eq!(second["pull_requests"][0]["number"], 1);
    assert!(second["nextCursor"].is_null());
    let other = json!({ "limit": 1, "cursor": first["nextCursor"] });
    let error = list(&world, &world.api_url(), &other).unwrap_err();
    assert!(matches!(error, OpError::BadCursor(_)), "{error:?}");
}

#[test]
fn what_is_withheld_is_unknown() {
    let world = three_pulls();
    let api_url = world.withholding(&[
        Withheld::Field("repository.pullRequests.nodes.*.statusCheckRollup"),
        Withheld::Field("repository.pullRequests.nodes.*.reviewDecision"),
        Withheld::Field("repository.pullRequests.nodes.*.labels"),
    ]);
    let all = list(&world, &api_url, &json!({ "head": "one" })).unwrap();
    insta::assert_snapshot!(shown(&all), @"
    #1 Add one by octo: one → main, open, ci unknown, review unknown, mergeable yes, draft false, labels null
    1 in all, no message
    ");
}
