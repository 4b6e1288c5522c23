use serde_json::{Value, json};

use crate::world::{Client, World};

#[test]
fn the_latest_word_of_every_context_counts() {
    let world = World::start();
    let sha = world.checkout().head();
    let client = world.client("ci-bot");
    let combined = |client: &Client| {
        let path = "/repos/octo/demo/commits/main/status";
        client.get(path).expect(200).json()
    };
    let none = combined(&client);
    assert_eq!(none["state"], "pending");
    assert_eq!(none["total_count"], 0);
    assert_eq!(none["sha"], json!(sha));

    let say = |body: Value| {
        let path = format!("/repos/octo/demo/statuses/{sha}");
        client.post(&path, &body).expect(201).json()
    };
    let status = say(json!({ "state": "pending" }));
    assert_eq!(status["context"], "default");
    assert_eq!(status["creator"]["login"], "ci-bot");
    say(json!({ "state": "success", "context": "ci/build", "target_url": "https://ci.invalid/1" }));
    assert_eq!(combined(&client)["state"], "pending");
    say(json!({ "state": "success", "description": "all good" }));
    assert_eq!(combined(&client)["state"], "success");
    say(json!({ "state": "error", "context": "ci/build" }));
    let now = combined(&client);
    assert_eq!(now["state"], "failure");
    let contexts: Vec<_> = now["statuses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|status| (status["context"].as_str(), status["state"].as_str()))
        .collect();
    assert_eq!(
        contexts,
        [
            (Some("default"), Some("success")),
            (Some("ci/build"), Some("error"))
        ]
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let world = World::start();
    let sha = world.checkout().head();
    let refused = |login: &str, sha: &str, body: Value, status: u16| {
        let path = format!("/repos/octo/demo/statuses/{sha}");
        world.client(login).post(&path, &body).expect(status).json()
    };
    insta::assert_snapshot!(refused("ci-bot", &sha, json!({}), 422)["message"].as_str().unwrap(), @r#"
    Invalid request.

    "state" wasn't supplied.
    "#);
    let long = json!({ "state": "success", "description": "x".repeat(141) });
    let errors = &refused("ci-bot", &sha, long, 422)["errors"];
    assert_eq!(
        errors,
        &json!([{
            "resource": "Status",
            "field": "description",
            "code": "custom",
            "message": "description is too long (maximum is 140 characters)",
        }])
    );
    let script = json!({ "state": "success", "target_url": "javascript:alert(1)" });
    let errors = &refused("ci-bot", &sha, script, 422)["errors"];
    assert_eq!(errors[0]["message"], "target_url must use http(s) scheme");
    let state = json!({ "state": "success" });
    refused("guest", &sha, state.clone(), 403);
    let unknown = refused("ci-bot", &"f".repeat(40), state, 422);
    insta::assert_snapshot!(unknown["message"].as_str().unwrap(), @"No commit found for SHA: ffffffffffffffffffffffffffffffffffffffff");
    let nowhere = "/repos/octo/demo/commits/nowhere/status";
    world.client("octo").get(nowhere).expect(404);
}
