//! Webhooks do not reach what only the forge can reach.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use baton_forge::NewHook;
use serde_json::{Value, json};

use super::receiver::Receiver;
use super::{hooked, world_with_receivers};
use crate::world::World;

/// From the command line, which does not look at the address.
fn set_up_hook(world: &World, url: String) {
    let new = NewHook {
        url,
        secret: None,
        events: vec!["*".to_owned()],
    };
    world
        .run(world.app().add_hook("octo", "demo", new))
        .unwrap();
}

/// The first delivery of the only hook, once it was tried.
fn first_delivery(world: &World) -> Value {
    let octo = world.client("octo");
    let list = "/repos/octo/demo/hooks/1/deliveries";
    let id = world.wait_for(|| octo.get(list).expect(200).json()[0]["id"].as_i64());
    octo.get(&format!("{list}/{id}")).expect(200).json()
}

#[test]
fn addresses_of_this_machine_are_refused() {
    let world = World::start();
    let receiver = Receiver::start();
    let octo = world.client("octo");
    let port = receiver.address.port();
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "169.254.169.254",
    ] {
        let config = json!({ "url": format!("http://{host}:{port}/"), "content_type": "json" });
        let hook = json!({ "config": config, "events": ["*"] });
        let refused = octo.post("/repos/octo/demo/hooks", &hook).expect(422);
        let message = &refused.json()["errors"][0]["message"];
        assert_eq!(
            message,
            "url is not supported because it isn't reachable over the public Internet"
        );
    }
    assert_eq!(
        octo.get("/repos/octo/demo/hooks").expect(200).json(),
        json!([])
    );
}

/// A name is looked up when something is delivered, and what it leads to counts.
#[test]
fn a_name_that_leads_to_this_machine_is_not_connected_to() {
    let world = World::start();
    let receiver = Receiver::start();
    set_up_hook(
        &world,
        format!("http://localhost:{}/", receiver.address.port()),
    );
    let delivery = first_delivery(&world);
    assert_eq!(delivery["status_code"], 0);
    insta::assert_snapshot!(delivery["status"].as_str().unwrap(), @"the receiver is on this machine or in a private network; the forge delivers there only when it is started with --allow-private-webhooks");
    assert_eq!(delivery["response"]["payload"], Value::Null);
    // And is not tried again.
    let octo = world.client("octo");
    let list = octo.get("/repos/octo/demo/hooks/1/deliveries").expect(200);
    assert_eq!(list.json().as_array().unwrap().len(), 1);
    assert!(receiver.waiting().is_empty());
}

#[test]
fn they_are_delivered_to_where_the_forge_is_started_so() {
    let world = world_with_receivers();
    let receiver = Receiver::start();
    hooked(&world, &receiver);
    assert_eq!(first_delivery(&world)["response"]["payload"], "thanks");
}

/// Answers one request with these bytes.
fn answering(answer: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut vec![0; 64 << 10]);
        let _ = stream.write_all(&answer);
        // Closed only after the other side has: it may still be sending.
        let _ = stream.read_to_end(&mut Vec::new());
    });
    url
}

#[test]
fn redirects_are_not_followed() {
    let world = world_with_receivers();
    let elsewhere = Receiver::start();
    let answer = format!(
        "HTTP/1.1 307 Temporary Redirect\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n",
        elsewhere.url()
    );
    set_up_hook(&world, answering(answer.into_bytes()));
    assert_eq!(first_delivery(&world)["status_code"], 307);
    assert!(elsewhere.waiting().is_empty());
}

#[test]
fn a_long_answer_is_cut() {
    let world = world_with_receivers();
    let mut answer = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".to_vec();
    answer.resize(answer.len() + 1_000_000, b'x');
    set_up_hook(&world, answering(answer));
    let delivery = first_delivery(&world);
    assert_eq!(delivery["status_code"], 200);
    let shown = delivery["response"]["payload"].as_str().unwrap();
    assert_eq!(shown.len(), 16 << 10);
}
