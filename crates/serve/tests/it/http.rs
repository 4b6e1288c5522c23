//! The HTTP server: who gets in, and how it ends.

use std::fmt::Write as _;
use std::net::SocketAddr;

use baton_serve::http::{self, Settings, Token};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::tools::{self, Waiting};

pub(crate) const TOKEN: &str = "a-token-for-tests";

/// A server on a port of its own.
pub(crate) struct Hosted {
    pub(crate) address: SocketAddr,
    cancel: CancellationToken,
    serving: JoinHandle<std::io::Result<()>>,
    /// What the tool that waits does.
    pub(crate) waiting: UnboundedReceiver<Waiting>,
}

impl Hosted {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let cancel = CancellationToken::new();
        let (server, waiting) = tools::server();
        let settings = Settings {
            token: Token::new(TOKEN).unwrap(),
            hosts: Vec::new(),
        };
        let serving = tokio::spawn(http::serve(listener, server, settings, cancel.clone()));
        Self {
            address,
            cancel,
            serving,
            waiting,
        }
    }

    /// Returns the receiver of the waiting tool.
    pub(crate) async fn end(self) -> UnboundedReceiver<Waiting> {
        self.cancel.cancel();
        self.serving.await.unwrap().unwrap();
        self.waiting
    }

    /// Sends a request as it is given and returns the response's first line and
    /// the rest.
    async fn ask(&self, path: &str, headers: &[(&str, &str)], body: &str) -> (String, String) {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let mut request = format!("POST {path} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in headers {
            write!(request, "{name}: {value}\r\n").unwrap();
        }
        write!(request, "content-length: {}\r\n\r\n{body}", body.len()).unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (status, rest) = answer.split_once("\r\n").unwrap_or((&answer, ""));
        (status.to_owned(), rest.to_owned())
    }
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

#[tokio::test]
async fn only_those_with_the_token_and_our_name_get_in() {
    let hosted = Hosted::start().await;
    let bearer = format!("Bearer {TOKEN}");
    let usual = [
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
    ];
    let mut shown = String::new();
    for (what, headers) in [
        (
            "right",
            vec![("host", "localhost"), ("authorization", &bearer)],
        ),
        ("no token", vec![("host", "localhost")]),
        (
            "wrong token",
            vec![("host", "localhost"), ("authorization", "Bearer nope")],
        ),
        (
            "another host",
            vec![("host", "evil.example"), ("authorization", &bearer)],
        ),
        (
            "another origin",
            vec![
                ("host", "localhost"),
                ("origin", "https://evil.example"),
                ("authorization", &bearer),
            ],
        ),
        (
            "our origin",
            vec![
                ("host", "127.0.0.1"),
                ("origin", "http://localhost:6274"),
                ("authorization", &bearer),
            ],
        ),
    ] {
        let headers = [&headers[..], &usual].concat();
        let (status, _) = hosted.ask("/mcp", &headers, INITIALIZE).await;
        writeln!(shown, "{what}: {status}").unwrap();
    }
    insta::assert_snapshot!(shown, @"
    right: HTTP/1.1 200 OK
    no token: HTTP/1.1 401 Unauthorized
    wrong token: HTTP/1.1 401 Unauthorized
    another host: HTTP/1.1 403 Forbidden
    another origin: HTTP/1.1 403 Forbidden
    our origin: HTTP/1.1 200 OK
    ");
    hosted.end().await;
}

#[tokio::test]
async fn other_paths_and_too_much_are_refused() {
    let hosted = Hosted::start().await;
    let bearer = format!("Bearer {TOKEN}");
    let headers = [
        ("host", "localhost"),
        ("authorization", bearer.as_str()),
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
    ];
    let (status, _) = hosted.ask("/", &headers, "{}").await;
    assert_eq!(status, "HTTP/1.1 404 Not Found");
    for malformed in ["{\"jsonrpc\":", "[1, 2]", "{}"] {
        let (status, rest) = hosted.ask("/mcp", &headers, malformed).await;
        assert_eq!(status, "HTTP/1.1 400 Bad Request", "{malformed}: {rest}");
        assert!(rest.contains("-32700"), "{malformed}: {rest}");
    }
    let large = format!("{{\"a\":\"{}\"}}", "x".repeat(17 << 20));
    let mut stream = TcpStream::connect(hosted.address).await.unwrap();
    let mut request = "POST /mcp HTTP/1.1\r\n".to_owned();
    for (name, value) in headers {
        write!(request, "{name}: {value}\r\n").unwrap();
    }
    write!(request, "content-length: {}\r\n\r\n", large.len()).unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    // The server may close before it has read everything.
    let (mut reader, mut writer) = stream.into_split();
    let writing = tokio::spawn(async move {
        let _ = writer.write_all(large.as_bytes()).await;
        writer
    });
    let mut answer = [0; 12];
    reader.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
    writing.abort();
    hosted.end().await;
}
