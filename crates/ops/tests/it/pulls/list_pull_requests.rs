//! `list_pull_requests`: how each stands, which are left out, and what a token may not read.

use baton_ops::OpError;
use baton_protocol::Repository;
use baton_testkit::world::{JobEnd, Withheld, World};
use serde_json::{Value, json};

use super::world::ToolCaller;

const TOOL: &str = "list_pull_requests";

/// `octo`, in a checkout of `octo/demo`.
fn in_checkout(mut caller: ToolCaller<'_>) -> ToolCaller<'_> {
    caller.server.here = Some(Repository::new("octo", "demo").unwrap());
    caller
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
    let octo = in_checkout(ToolCaller::new(&world));
    // The forge tries merges in the background.
    let all = world.wait_for("mergeability", || {
        let all = octo.ask(TOOL, &json!({}));
        (!shown(&all).contains("mergeable unknown")).then_some(all)
    });
    insta::assert_snapshot!(shown(&all), @r#"
    #3 Add three by octo: three → main, open, ci none, review none, mergeable yes, draft false, labels ["urgent"]
    #2 Add two by octo: two → main, open, ci none, review none, mergeable yes, draft false, labels []
    #1 Add one by octo: one → main, open, ci passed, review none, mergeable yes, draft false, labels []
    3 in all, no message
    "#);
    let urgent = json!({ "repository": "octo/demo", "labels": ["urgent"], "author": "@Octo" });
    let urgent = octo.ask(TOOL, &urgent);
    assert_eq!(urgent["total"], 1);
    assert_eq!(urgent["pull_requests"][0]["pr"], "octo/demo#3");
    for none in [
        json!({ "author": "guest" }),
        json!({ "base": "gone" }),
        json!({ "state": "merged" }),
    ] {
        assert_eq!(octo.ask(TOOL, &none)["total"], 0, "{none}");
    }
}

#[test]
fn pages_follow_each_other() {
    let world = three_pulls();
    let octo = in_checkout(ToolCaller::new(&world));
    let first = octo.ask(TOOL, &json!({ "limit": 2 }));
    let next = json!({ "limit": 2, "cursor": first["nextCursor"] });
    let second = octo.ask(TOOL, &next);
    assert_eq!(second["pull_requests"][0]["number"], 1);
    assert!(second["nextCursor"].is_null());
    let other = json!({ "limit": 1, "cursor": first["nextCursor"] });
    let error = octo.call(TOOL, &other).unwrap_err();
    assert!(matches!(error, OpError::BadCursor(_)), "{error:?}");
}

#[test]
fn what_is_withheld_is_unknown() {
    let world = three_pulls();
    let withheld = [
        Withheld::Field("repository.pullRequests.nodes.*.statusCheckRollup"),
        Withheld::Field("repository.pullRequests.nodes.*.reviewDecision"),
        Withheld::Field("repository.pullRequests.nodes.*.labels"),
    ];
    let octo = in_checkout(ToolCaller::withholding(&world, &withheld));
    let all = octo.ask(TOOL, &json!({ "head": "one" }));
    insta::assert_snapshot!(shown(&all), @"
    #1 Add one by octo: one → main, open, ci unknown, review unknown, mergeable yes, draft false, labels null
    1 in all, no message
    ");
}
