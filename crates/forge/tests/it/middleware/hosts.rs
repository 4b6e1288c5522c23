//! Only requests for the forge's own names are answered.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::world::{Response, World};

/// Asks with exactly this head.
fn ask(world: &World, head: &str) -> Response {
    let mut stream = TcpStream::connect(world.address).unwrap();
    write!(stream, "{head}Connection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    Response::parse(&answer)
}

#[test]
fn another_name_is_refused() {
    let world = World::start();
    for head in [
        "GET /users/octo HTTP/1.1\r\nHost: evil.example\r\n",
        "GET / HTTP/1.1\r\nHost: evil.example:8417\r\nAccept: text/html\r\n",
        "GET /octo/demo.git/info/refs?service=git-upload-pack HTTP/1.1\r\nHost: evil.example\r\n",
        "GET http://evil.example/users/octo HTTP/1.1\r\nHost: localhost\r\n",
        "GET /_forge/faults HTTP/1.1\r\nHost: localhost.evil.example\r\n",
        "GET /users/octo HTTP/1.0\r\n",
    ] {
        let refused = ask(&world, head).expect(421);
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused.text(), @"This forge is not known by that name. Start it with `baton forge serve --host NAME`.");
        }
    }
}

#[test]
fn its_own_names_are_answered_for() {
    let world = World::start_with(|settings| {
        settings.hosts = vec!["forge.example".to_owned()];
        settings.public_url = Some("https://git.example".to_owned());
    });
    let port = world.address.port();
    for host in [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        "api.github.localhost".to_owned(),
        "forge.example".to_owned(),
        "git.example".to_owned(),
    ] {
        let head = format!("GET /users/octo HTTP/1.1\r\nHost: {host}\r\n");
        ask(&world, &head).expect(200);
    }
}
