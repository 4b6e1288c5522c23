use std::fs;

use baton_testkit::github::{Exceptions, Webhooks};
use baton_testkit::peer;
use serde_json::{Value, json};

use super::shown;

fn load() -> Option<(Webhooks, Value)> {
    let webhooks = Webhooks::find()?;
    let examples = peer("github/webhook-examples.json")?;
    let examples = serde_json::from_slice(&fs::read(examples).unwrap()).unwrap();
    Some((webhooks, examples))
}

#[test]
fn examples_hold() {
    let Some((webhooks, examples)) = load() else {
        return;
    };
    let mut problems = Vec::new();
    for (event, examples) in examples.as_object().unwrap() {
        for example in examples.as_array().unwrap() {
            problems.extend(webhooks.check(event, example));
        }
    }
    let outdated = Exceptions::parse(include_str!("outdated_webhook_examples.toml")).unwrap();
    assert_eq!(outdated.idle(&problems), Vec::<String>::new());
    assert_eq!(shown(&outdated.filter(problems)), "");
}

#[test]
fn a_wrong_field_is_found() {
    let Some((webhooks, examples)) = load() else {
        return;
    };
    let mut example = examples["pull_request_review_thread"][0].clone();
    let before = webhooks.check("pull_request_review_thread", &example).len();
    example["thread"]["node_id"] = json!(7);
    example["thread"]["node"] = json!("x");
    let problems = webhooks.check("pull_request_review_thread", &example);
    assert_eq!(problems.len(), before + 2);
    assert_eq!(
        shown(&webhooks.check("star", &json!({ "action": "created" }))),
        "webhook star/created, request: no such event is listed in xtask/peers/github/operations.txt; add it if GitHub has it"
    );
}
