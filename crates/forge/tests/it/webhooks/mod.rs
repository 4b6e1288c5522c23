//! Others are told what happens.

mod deliveries;
mod hooks;
mod payloads;
mod private;
mod receiver;

use serde_json::{Value, json};

use crate::world::World;
use receiver::Receiver;

/// The receivers of these tests are on this machine.
fn world_with_receivers() -> World {
    World::start_with(|settings| settings.allow_private_webhooks = true)
}

/// A hook of `octo/demo` for all events, whose ping has arrived.
fn hooked(world: &World, receiver: &Receiver) -> Value {
    let hook = world.client("octo").post(
        "/repos/octo/demo/hooks",
        &json!({
            "config": { "url": receiver.url(), "content_type": "json", "secret": "hush" },
            "events": ["*"],
        }),
    );
    let hook = hook.expect(201).json();
    assert_eq!(receiver.next().event(), "ping");
    hook
}

fn open_issue(world: &World, title: &str) -> Value {
    let issue = json!({ "title": title });
    let answer = world.client("octo").post("/repos/octo/demo/issues", &issue);
    answer.expect(201).json()
}
