use serde_json::json;

use super::receiver::Receiver;
use super::{hooked, world_with_receivers};

#[test]
fn a_hook_is_made_and_deleted() {
    let world = world_with_receivers();
    let receiver = Receiver::start();
    let octo = world.client("octo");
    let hook = hooked(&world, &receiver);
    assert_eq!(hook["config"]["secret"], "********");
    let address = format!("/repos/octo/demo/hooks/{}", hook["id"]);

    let shown = octo.get(&address).expect(200).json();
    assert_eq!(shown["config"]["url"], receiver.url());
    assert_eq!(
        octo.get("/repos/octo/demo/hooks").json()[0]["id"],
        hook["id"]
    );

    octo.delete(&address).expect(204);
    octo.get(&address).expect(404);
    assert_eq!(octo.get("/repos/octo/demo/hooks").json(), json!([]));
}

#[test]
fn hooks_are_for_those_who_administer() {
    let world = world_with_receivers();
    let receiver = Receiver::start();
    hooked(&world, &receiver);
    world.anonymous().get("/repos/octo/demo/hooks").expect(401);
    for login in ["reviewer", "guest"] {
        world
            .client(login)
            .get("/repos/octo/demo/hooks")
            .expect(404);
        world
            .client(login)
            .get("/repos/octo/demo/hooks/1")
            .expect(404);
    }
}

#[test]
fn bad_hooks_are_refused() {
    let world = world_with_receivers();
    let octo = world.client("octo");
    let mut told = Vec::new();
    for bad in [
        json!({}),
        json!({ "config": { "url": "ftp://example" } }),
        json!({ "config": { "url": "http://octo:secret@example" } }),
        json!({ "config": { "url": "http://example", "content_type": "xml" } }),
        json!({ "config": { "url": "http://example" }, "events": [] }),
        json!({ "config": { "url": "http://example" }, "events": ["nonsense"] }),
        json!({ "config": { "url": "http://example" }, "name": "irc" }),
    ] {
        let answer = octo.post("/repos/octo/demo/hooks", &bad).expect(422).json();
        told.push(format!(
            "{bad}\n  {} {}",
            answer["message"], answer["errors"]
        ));
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    {}
      "Validation Failed" [{"resource":"Hook","code":"custom","field":"base","message":"Config must contain URL for webhooks"}]
    {"config":{"url":"ftp://example"}}
      "Validation Failed" [{"resource":"Hook","code":"custom","field":"url","message":"url must be an http:// address without credentials; this forge does not deliver over TLS"}]
    {"config":{"url":"http://octo:secret@example"}}
      "Validation Failed" [{"resource":"Hook","code":"custom","field":"url","message":"url must be an http:// address without credentials; this forge does not deliver over TLS"}]
    {"config":{"url":"http://example","content_type":"xml"}}
      "Validation Failed" [{"resource":"Hook","code":"invalid","field":"content_type"}]
    {"config":{"url":"http://example"},"events":[]}
      "Validation Failed" [{"resource":"Hook","code":"custom","field":"base","message":"This hook must have at least one event"}]
    {"config":{"url":"http://example"},"events":["nonsense"]}
      "Validation Failed" [{"resource":"Hook","code":"invalid","field":"events","message":"\"nonsense\" is not an event that this forge knows"}]
    {"config":{"url":"http://example"},"name":"irc"}
      "Validation Failed" [{"resource":"Hook","code":"custom","field":"name","message":"name must be \"web\""}]
    "#);

    let twice = json!({ "config": { "url": "http://127.0.0.1:9/" } });
    octo.post("/repos/octo/demo/hooks", &twice).expect(201);
    let again = octo
        .post("/repos/octo/demo/hooks", &twice)
        .expect(422)
        .json();
    assert_eq!(
        again["errors"][0]["message"],
        "Hook already exists on this repository"
    );
}
