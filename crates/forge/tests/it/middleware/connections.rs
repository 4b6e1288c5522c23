//! What connections may take of the forge.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::world::{Response, World};

/// Longer than anything takes: a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_mins(1);

fn connect(world: &World) -> TcpStream {
    let stream = TcpStream::connect(world.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

#[test]
fn heads_that_never_end_keep_no_one_out_and_are_closed() {
    let world = World::start_with(|settings| {
        settings.connections.head_time = Duration::from_secs(1);
    });
    let head = format!(
        "GET /users/octo HTTP/1.1\r\nHost: {}\r\nX-Slow: ",
        world.address
    );
    let slow: Vec<TcpStream> = (0..600)
        .map(|_| {
            let mut stream = connect(&world);
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    world.anonymous().get("/users/octo").expect(200);
    for mut stream in slow {
        let mut answer = Vec::new();
        // A reset is an end, too; waiting in vain is not.
        if let Err(error) = stream.read_to_end(&mut answer) {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
        }
        assert!(!answer.starts_with(b"HTTP/1.1 200"));
    }
}

#[test]
fn more_connections_than_there_is_room_for_wait() {
    let world = World::start_with(|settings| settings.connections.count = 1);
    let mut first = connect(&world);
    let mut second = connect(&world);
    let request = format!("GET /users/octo HTTP/1.1\r\nHost: {}\r\n", world.address);
    write!(second, "{request}Connection: close\r\n\r\n").unwrap();
    write!(first, "{request}Connection: close\r\n\r\n").unwrap();
    for stream in [&mut first, &mut second] {
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        Response::parse(&answer).expect(200);
    }
}

#[test]
fn an_idle_connection_serves_again_and_is_closed_in_the_end() {
    let world = World::start_with(|settings| {
        settings.connections.head_time = Duration::from_secs(1);
    });
    let mut stream = connect(&world);
    for _ in 0..2 {
        write!(
            stream,
            "GET /zen HTTP/1.1\r\nHost: {}\r\n\r\n",
            world.address
        )
        .unwrap();
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
    }
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
}

#[test]
fn a_head_that_is_too_long_is_refused() {
    let world = World::start();
    let client = world.anonymous().header("X-Long", &"x".repeat(60 << 10));
    client.get("/users/octo").expect(200);
    let client = world.anonymous().header("X-Long", &"x".repeat(64 << 10));
    let (answer, _) = client.exchange("GET", "/users/octo", None);
    Response::parse(&answer).expect(431);
}
