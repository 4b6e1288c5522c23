//! A GitHub that knows no one: quick to answer, and the same each time.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// The address of its API. It answers until the tests end.
pub(super) fn that_knows_no_one() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || answer(&stream.unwrap()));
        }
    });
    format!("http://{address}/api/v3")
}

fn answer(mut stream: &TcpStream) {
    let mut lines = BufReader::new(stream).lines();
    while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
    let body = r#"{"message":"Not Found","status":"404"}"#;
    let _ = write!(
        stream,
        "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
}
