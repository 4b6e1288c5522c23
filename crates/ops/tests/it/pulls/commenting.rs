//! `comment_on_pull_request` and `submit_review`: each says what it has to say once.

use baton_testkit::world::World;
use baton_testkit::world::forge::{Fault, FaultKind};
use serde_json::{Value, json};

use super::discussion::{FILE, Scene};
use super::world::ToolCaller;

const COMMENT: &str = "comment_on_pull_request";
const REVIEW: &str = "submit_review";

impl Scene<'_> {
    fn conversation(&self) -> Vec<String> {
        let path = "/repos/octo/demo/issues/1/comments";
        bodies(&self.world.client("octo").get(path).expect(200).json())
    }

    fn reviews(&self) -> Vec<(String, String)> {
        let path = "/repos/octo/demo/pulls/1/reviews";
        let reviews = self.world.client("octo").get(path).expect(200).json();
        let states = reviews.as_array().unwrap().iter();
        let states = states.map(|review| review["state"].as_str().unwrap().to_owned());
        states.zip(bodies(&reviews)).collect()
    }
}

fn bodies(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap().iter();
    list.map(|one| one["body"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_comment_is_written_once() {
    let world = World::start();
    let scene = Scene::new(&world);
    let input = json!({ "pr": "octo/demo#1", "body": "Thanks, *all*.\n" });
    let first = scene.caller.ask(COMMENT, &input);
    insta::assert_snapshot!(scene.shown(&first), @r#"
    {
      "pr": "octo/demo#1",
      "html_url": "http://forge/octo/demo/pull/1#issuecomment-1",
      "changed": true,
      "key": "6a724ee855a6a07c",
      "message": "The comment was written"
    }
    "#);
    let again = scene.caller.ask(COMMENT, &input);
    assert_eq!(
        (&again["changed"], &again["html_url"]),
        (&json!(false), &first["html_url"])
    );
    let key = first["key"].as_str().unwrap();
    assert_eq!(
        scene.conversation(),
        [format!(
            "Thanks, *all*.\n\n<!-- baton:comment-on-pull-request {key} -->"
        )]
    );
    let other = json!({ "pr": "octo/demo#1", "body": "Thanks, *all*.\n", "key": "later" });
    assert_eq!(scene.caller.ask(COMMENT, &other)["changed"], true);
    assert_eq!(scene.conversation().len(), 2);
}

#[test]
fn the_mark_of_another_is_no_proof() {
    let world = World::start();
    let scene = Scene::new(&world);
    let input = json!({ "pr": "octo/demo#1", "body": "Stop: this deletes data." });
    scene.caller.ask(COMMENT, &input);
    let copied = scene.conversation().remove(0);
    let world = World::start();
    let scene = Scene::new(&world);
    scene.say("guest", &copied);
    assert_eq!(scene.caller.ask(COMMENT, &input)["changed"], true);
}

#[test]
fn a_reply_goes_into_its_thread() {
    let world = World::start();
    let scene = Scene::new(&world);
    let comment = scene.thread("reviewer", FILE, 5, "Why?");
    let url = format!("{}/octo/demo/pull/1#discussion_r{comment}", world.web_url());
    let input = json!({ "pr": "octo/demo#1", "body": "It is the fifth.", "thread": url });
    let answer = scene.caller.ask(COMMENT, &input);
    assert_eq!(answer["thread"], scene.threads()[0].0.as_str());
    assert_eq!(scene.caller.ask(COMMENT, &input)["changed"], false);
    let (_, resolved, said) = &scene.threads()[0];
    assert_eq!((*resolved, said.len()), (false, 2));
    let elsewhere = json!({ "pr": "octo/demo#1", "body": "?", "thread": "12345" });
    let error = scene.caller.error(COMMENT, &elsewhere);
    assert!(error.contains("has no review thread '12345'"), "{error}");
    let nothing = scene
        .caller
        .error(COMMENT, &json!({ "pr": "octo/demo#1", "body": " \n" }));
    assert!(nothing.contains("says nothing"), "{nothing}");
}

#[test]
fn a_comment_whose_answer_was_lost_is_not_written_again() {
    let world = World::start();
    let scene = Scene::new(&world);
    let fault = Fault::new(FaultKind::ResetAfter);
    let path = "/repos/octo/demo/issues/1/comments";
    world.app().faults().add(fault.on("POST", path).times(1));
    let input = json!({ "pr": "octo/demo#1", "body": "Thanks." });
    scene.caller.call(COMMENT, &input).unwrap_err();
    assert_eq!(scene.caller.ask(COMMENT, &input)["changed"], false);
    assert_eq!(scene.conversation().len(), 1);
}

#[test]
fn a_review_is_submitted_once_with_its_comments() {
    let world = World::start();
    let scene = Scene::new(&world);
    let reviewer = ToolCaller::for_user(&world, "reviewer");
    let input = json!({
        "pr": "octo/demo#1", "verdict": "request_changes", "body": "Two things.",
        "comments": ["src/cart.py:5: Why: five?", "src/new.py:1-3: Join these."],
    });
    let first = reviewer.ask(REVIEW, &input);
    assert_eq!(
        (&first["changed"], &first["commit"]),
        (&json!(true), &json!(scene.head))
    );
    let again = reviewer.ask(REVIEW, &input);
    assert_eq!(
        (&again["changed"], &again["html_url"]),
        (&json!(false), &first["html_url"])
    );
    let reviews = scene.reviews();
    assert_eq!(reviews.len(), 1);
    assert!(reviews[0].0 == "CHANGES_REQUESTED" && reviews[0].1.starts_with("Two things.\n"));
    let said: Vec<_> = scene
        .threads()
        .into_iter()
        .map(|(_, _, said)| said)
        .collect();
    assert_eq!(said, [["Why: five?"], ["Join these."]]);
}

#[test]
fn only_the_head_is_approved() {
    let world = World::start();
    let mut scene = Scene::new(&world);
    let reviewer = ToolCaller::for_user(&world, "reviewer");
    let old_head = scene.head.clone();
    scene.push_file("src/late.py", "late\n", "Add what no one has reviewed");
    let refused = |more: Value| {
        let mut input = json!({ "pr": "octo/demo#1", "verdict": "approve" });
        for (name, value) in more.as_object().unwrap() {
            input[name] = value.clone();
        }
        let error: Value = serde_json::from_str(&reviewer.error(REVIEW, &input)).unwrap();
        error["error"].as_str().unwrap().to_owned()
    };
    let told = [
        json!({}),
        json!({ "commit": old_head }),
        json!({ "verdict": "comment" }),
        json!({ "verdict": "comment", "comments": ["src/cart.py:14: Why?", "src/gone.py:1: Why?"] }),
    ];
    let told = told
        .map(refused)
        .join("\n")
        .replace(&scene.head[..7], "HEAD");
    insta::assert_snapshot!(told, @"
    an approval is of a commit, and none was given
    the named commit is not the head of the pull request, which is HEAD
    the review says nothing
    not in the diff: src/cart.py:14, src/gone.py:1
    ");
    assert!(scene.reviews().is_empty(), "a refusal changes nothing");
    let approval =
        json!({ "pr": "octo/demo#1", "verdict": "approve", "commit": &scene.head[..12] });
    assert_eq!(reviewer.ask(REVIEW, &approval)["changed"], true);
    assert_eq!(scene.reviews()[0].0, "APPROVED");
}
