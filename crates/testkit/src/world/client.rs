//! A user's plain client of the forge.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use serde_json::Value;

/// Asks the forge with as little as possible: what prepares a test is not what
/// the test is about. One connection per request.
#[derive(Clone, Debug)]
pub struct Client {
    address: SocketAddr,
    token: String,
}

impl Client {
    pub(super) fn new(address: SocketAddr, token: &str) -> Self {
        Self {
            address,
            token: token.to_owned(),
        }
    }

    pub fn get(&self, path: &str) -> Response {
        self.send("GET", path, "application/json", b"")
    }

    pub fn delete(&self, path: &str) -> Response {
        self.send("DELETE", path, "application/json", b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Response {
        self.send_json("POST", path, body)
    }

    pub fn patch(&self, path: &str, body: &Value) -> Response {
        self.send_json("PATCH", path, body)
    }

    pub fn put(&self, path: &str, body: &Value) -> Response {
        self.send_json("PUT", path, body)
    }

    fn send_json(&self, method: &str, path: &str, body: &Value) -> Response {
        let body = body.to_string();
        self.send(method, path, "application/json", body.as_bytes())
    }

    pub fn send(&self, method: &str, path: &str, media_type: &str, body: &[u8]) -> Response {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        for (name, value) in [
            ("Host", self.address.to_string()),
            ("Connection", "close".to_owned()),
            ("Authorization", format!("token {}", self.token)),
            ("Content-Type", media_type.to_owned()),
            ("Content-Length", body.len().to_string()),
        ] {
            write!(head, "{name}: {value}\r\n").expect("a string takes it");
        }
        head.push_str("\r\n");
        let mut stream = TcpStream::connect(self.address).expect("the forge listens");
        stream
            .write_all(head.as_bytes())
            .expect("the forge listens");
        // A forge that refuses may have hung up already.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        stream
            .read_to_end(&mut answer)
            .expect("the forge answers to the end");
        Response::parse(&answer)
    }
}

#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Response {
    pub(super) fn parse(answer: &[u8]) -> Self {
        let end = answer
            .windows(4)
            .position(|window| window == b"\r\n\r\n")
            .expect("an answer has a head");
        let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        let body = &answer[end + 4..];
        let body = if head.contains("transfer-encoding: chunked") {
            joined(body)
        } else {
            body.to_vec()
        };
        Self {
            status: status.expect("an answer has a status"),
            body,
        }
    }

    /// Fails the test unless the status is as expected.
    #[expect(
        clippy::return_self_not_must_use,
        reason = "of many answers only the status matters"
    )]
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text());
        self
    }

    pub fn json(&self) -> Value {
        match serde_json::from_slice(&self.body) {
            Ok(value) => value,
            Err(error) => panic!("{error}: {}", self.text()),
        }
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// The chunks of a body, put together.
fn joined(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|window| window == b"\r\n") {
        let size = String::from_utf8_lossy(&rest[..end]).into_owned();
        let size = usize::from_str_radix(size.trim(), 16).expect("a chunk has a size");
        if size == 0 {
            break;
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
    }
    body
}
