//! A raw client that speaks JSON lines, so that a test sees exactly what is on
//! the wire.

use baton_serve::mcp::{ServeError, Server};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Has no `initialize`: every request names its client.
pub(crate) const NEWEST: &str = "2026-07-28";

pub(crate) struct Client {
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    /// Of the newest protocol.
    meta: Option<Value>,
    requests: i64,
    /// Messages that came while another was awaited.
    pub(crate) received: Vec<Value>,
    serving: JoinHandle<Result<(), ServeError>>,
}

/// What the text of an answer says, which every client gets that no one knows.
pub(crate) fn text_of(answer: &Value) -> Value {
    let text = answer["result"]["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("no result: {answer}"));
    serde_json::from_str(text).unwrap()
}

impl Client {
    pub(crate) fn connect(server: &Server) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(theirs);
        let server = server.clone();
        let cancel = CancellationToken::new();
        let serving = tokio::spawn(async move { server.serve(reader, writer, cancel).await });
        let (output, input) = tokio::io::split(ours);
        Self {
            input,
            output: BufReader::new(output).lines(),
            meta: None,
            requests: 0,
            received: Vec::new(),
            serving,
        }
    }

    /// Connected and initialized with a version of the protocol.
    pub(crate) async fn ready(server: &Server, version: &str, capabilities: Value) -> Self {
        Self::ready_as("test", server, version, capabilities).await
    }

    /// The same, under a name.
    pub(crate) async fn ready_as(
        name: &str,
        server: &Server,
        version: &str,
        capabilities: Value,
    ) -> Self {
        let mut client = Self::connect(server);
        let info = json!({ "name": name, "version": "1" });
        if version == NEWEST {
            client.meta = Some(json!({
                "io.modelcontextprotocol/protocolVersion": version,
                "io.modelcontextprotocol/clientInfo": info,
                "io.modelcontextprotocol/clientCapabilities": capabilities,
            }));
            return client;
        }
        let answer = client
            .request(
                "initialize",
                json!({
                    "protocolVersion": version,
                    "capabilities": capabilities,
                    "clientInfo": info,
                }),
            )
            .await;
        assert_eq!(answer["result"]["protocolVersion"], version);
        client
            .send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        client
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string()).await;
    }

    pub(crate) async fn send_line(&mut self, line: &str) {
        self.input.write_all(line.as_bytes()).await.unwrap();
        self.input.write_all(b"\n").await.unwrap();
    }

    /// The next message; every line must be one.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = self.output.next_line().await.unwrap()?;
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Some(message)
    }

    /// Sends a request and returns its id.
    pub(crate) async fn begin(&mut self, method: &str, mut params: Value) -> i64 {
        self.requests += 1;
        if let Some(meta) = &self.meta {
            let fields = meta.as_object().unwrap().clone();
            let own = params.as_object_mut().unwrap();
            let all = own.entry("_meta").or_insert_with(|| json!({}));
            all.as_object_mut().unwrap().extend(fields);
        }
        self.send(&json!({
            "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params,
        }))
        .await;
        self.requests
    }

    /// The response to a request; all other messages are kept in `received`.
    pub(crate) async fn answer(&mut self, id: i64) -> Value {
        loop {
            let message = self.next().await.expect("the server is there");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.received.push(message);
        }
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.answer(id).await
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
        .await
    }

    /// The next message that is a request of the server's.
    pub(crate) async fn asked(&mut self, method: &str) -> Value {
        loop {
            let message = self.next().await.expect("the server is there");
            if message["method"] == method {
                return message;
            }
            self.received.push(message);
        }
    }

    /// Closes the connection and waits for the server to have ended.
    pub(crate) async fn leave(self) -> Result<(), ServeError> {
        drop((self.input, self.output));
        self.serving.await.unwrap()
    }
}
