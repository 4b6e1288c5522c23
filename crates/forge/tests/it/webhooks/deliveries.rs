//! At least once, signed, again after a failure, across restarts.

use std::net::TcpListener;
use std::time::Duration;

use serde_json::json;

use super::receiver::Receiver;
use super::{hooked, open_issue, world_with_receivers};
use crate::world::World;

fn impatient() -> World {
    World::start_with(|settings| {
        settings.allow_private_webhooks = true;
        settings.hook_retries = vec![Duration::from_millis(20); 20];
    })
}

#[test]
fn a_delivery_is_signed_and_says_what_it_is() {
    let world = world_with_receivers();
    let receiver = Receiver::start();
    let hook = hooked(&world, &receiver);
    open_issue(&world, "It rains");
    let delivery = receiver.next_of("issues");
    assert_eq!(delivery.path, "/hook?from=forge");
    let expected = hmac_sha256::signed("hush", &delivery.body);
    assert_eq!(delivery.headers["x-hub-signature-256"], expected);
    assert_eq!(delivery.headers["x-github-hook-id"], hook["id"].to_string());
    assert_eq!(
        delivery.headers["x-github-hook-installation-target-type"],
        "repository"
    );
    assert!(delivery.headers["user-agent"].starts_with("GitHub-Hookshot/"));
    assert_eq!(delivery.headers["content-type"], "application/json");
    assert_eq!(delivery.guid().len(), 36);
}

#[test]
fn a_form_carries_the_payload_in_one_field() {
    let world = world_with_receivers();
    let receiver = Receiver::start();
    let config = json!({ "url": receiver.url(), "content_type": "form", "secret": "hush" });
    let hook = json!({ "config": config, "events": ["issues"] });
    world
        .client("octo")
        .post("/repos/octo/demo/hooks", &hook)
        .expect(201);
    let ping = receiver.next();
    assert_eq!(
        ping.headers["content-type"],
        "application/x-www-form-urlencoded"
    );
    assert!(ping.body.starts_with(b"payload=%7B%22zen%22%3A"));
    let expected = hmac_sha256::signed("hush", &ping.body);
    assert_eq!(ping.headers["x-hub-signature-256"], expected);
}

#[test]
fn only_what_a_hook_asked_for_is_told_and_only_from_then_on() {
    let world = world_with_receivers();
    open_issue(&world, "Before the hook");
    let receiver = Receiver::start();
    let hook = json!({ "config": { "url": receiver.url(), "content_type": "json" }, "events": ["issue_comment"] });
    world
        .client("octo")
        .post("/repos/octo/demo/hooks", &hook)
        .expect(201);
    let comment = json!({ "body": "Indeed" });
    world
        .client("octo")
        .post("/repos/octo/demo/issues/1/comments", &comment)
        .expect(201);
    let events: Vec<String> = (0..2).map(|_| receiver.next().event().to_owned()).collect();
    assert_eq!(events, ["ping", "issue_comment"]);
    assert!(receiver.waiting().is_empty());
}

#[test]
fn a_receiver_in_trouble_is_told_again() {
    let world = impatient();
    let receiver = Receiver::start();
    let hook = hooked(&world, &receiver);
    receiver.answer(&[500, 503, 429]);
    open_issue(&world, "It rains");
    let attempts: Vec<_> = (0..4).map(|_| receiver.next_of("issues")).collect();
    for attempt in &attempts {
        assert_eq!(attempt.guid(), attempts[0].guid());
        assert_eq!(attempt.body, attempts[0].body);
    }
    let list = format!("/repos/octo/demo/hooks/{}/deliveries", hook["id"]);
    let listed = world.wait_for(|| {
        let listed = world.client("octo").get(&list).expect(200).json();
        (listed.as_array().unwrap().len() == 5).then_some(listed)
    });
    let shown: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|one| json!([one["event"], one["status_code"], one["redelivery"]]))
        .collect();
    assert_eq!(
        json!(shown),
        json!([
            ["issues", 200, true],
            ["issues", 429, true],
            ["issues", 503, true],
            ["issues", 500, false],
            ["ping", 200, false]
        ])
    );
    // A no is a no.
    receiver.answer(&[404]);
    open_issue(&world, "It still rains");
    receiver.next_of("issues");
    open_issue(&world, "It rains no more");
    let next = receiver.next_of("issues");
    assert_eq!(next.json()["issue"]["title"], "It rains no more");
}

#[test]
fn a_receiver_that_was_away_hears_everything_across_a_restart() {
    let mut world = impatient();
    let receiver = Receiver::start();
    hooked(&world, &receiver);
    let address = receiver.address;
    // From here on, no one listens there.
    receiver.retire();
    open_issue(&world, "While no one listens");
    world.wait_for(|| {
        let deliveries = world
            .client("octo")
            .get("/repos/octo/demo/hooks/1/deliveries");
        let failed = deliveries
            .json()
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["status_code"] == 0);
        failed.then_some(())
    });
    world = world.restart();
    let back = Receiver::on(TcpListener::bind(address).unwrap());
    let delivery = back.next_of("issues");
    assert_eq!(delivery.json()["issue"]["title"], "While no one listens");
    world = world.restart();
    open_issue(&world, "After another restart");
    // At least once: a forge that stopped before it noted the answer tells again.
    let titles = std::iter::repeat_with(|| back.next_of("issues").json()["issue"]["title"].clone());
    let mut others = titles.take_while(|title| title != "After another restart");
    assert!(others.all(|title| title == "While no one listens"));
}

#[test]
fn a_delivery_is_shown() {
    let world = world_with_receivers();
    let receiver = Receiver::start();
    let hook = hooked(&world, &receiver);
    let octo = world.client("octo");
    let list = format!("/repos/octo/demo/hooks/{}/deliveries", hook["id"]);
    let listed = world.wait_for(|| {
        let listed = octo.get(&list).expect(200).json();
        listed.get(0).is_some().then_some(listed)
    });
    let address = format!("{list}/{}", listed[0]["id"]);
    let shown = octo.get(&address).expect(200).json();
    assert_eq!(shown["request"]["headers"]["x-github-event"], "ping");
    assert_eq!(shown["request"]["payload"]["hook_id"], hook["id"]);
    assert_eq!(shown["response"]["payload"], "thanks");
    assert_eq!(shown["response"]["headers"]["x-receiver"], "test");
    octo.get(&format!("{list}/99")).expect(404);
}

mod hmac_sha256 {
    use std::fmt::Write as _;

    use hmac::{Hmac, KeyInit as _, Mac as _};

    /// As a receiver computes it.
    pub(super) fn signed(secret: &str, body: &[u8]) -> String {
        let mut code = Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        code.update(body);
        let mut text = "sha256=".to_owned();
        for byte in code.finalize().into_bytes() {
            write!(text, "{byte:02x}").unwrap();
        }
        text
    }
}
