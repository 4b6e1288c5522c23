//! `baton mcp` as a child, spoken to in JSON lines.
#![expect(
    clippy::needless_pass_by_value,
    reason = "calls read better with values in place"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::thread::JoinHandle;

use baton_testkit::Sandbox;
use serde_json::{Value, json};

use crate::command::baton;

pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    stderr: Option<JoinHandle<String>>,
    requests: i64,
    /// Who asks, where every request says so.
    meta: Option<Value>,
    /// What came while something else was waited for.
    pub(crate) heard: Vec<Value>,
}

impl Client {
    pub(crate) fn start(sandbox: &Sandbox) -> Self {
        Self::from_command(baton(sandbox).command(&["mcp"]))
    }

    /// With a command whose input and output are pipes.
    pub(crate) fn from_command(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let stderr = std::thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
        Self {
            stdin: child.stdin.take(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            stderr: Some(stderr),
            child,
            requests: 0,
            meta: None,
            heard: Vec::new(),
        }
    }

    /// Started, and past the handshake.
    pub(crate) fn ready(sandbox: &Sandbox, version: &str, capabilities: Value) -> Self {
        let mut client = Self::start(sandbox);
        client.shake_hands(version, capabilities);
        client
    }

    pub(crate) fn shake_hands(&mut self, version: &str, capabilities: Value) {
        let answer = self.request(
            "initialize",
            json!({
                "protocolVersion": version,
                "capabilities": capabilities,
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }

    /// Started, in the words of the newest version, which has no handshake.
    pub(crate) fn newest(sandbox: &Sandbox, capabilities: Value) -> Self {
        let mut client = Self::start(sandbox);
        client.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }));
        client
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub(crate) fn send_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{line}").unwrap();
    }

    /// The next message. Every line on standard output must be one.
    pub(crate) fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        if self.stdout.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        let message: Value =
            serde_json::from_str(&line).unwrap_or_else(|_| panic!("not a message: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Some(message)
    }

    pub(crate) fn begin(&mut self, method: &str, mut params: Value) -> i64 {
        self.requests += 1;
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        self.send(&json!({
            "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params,
        }));
        self.requests
    }

    pub(crate) fn answer(&mut self, id: i64) -> Value {
        loop {
            let message = self.next().expect("the server is there");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.heard.push(message);
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    pub(crate) fn tools(&mut self) -> Vec<Value> {
        let listed = self.request("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array();
        tools.expect("a list of tools").clone()
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        self.request("tools/call", params)["result"].clone()
    }

    /// The next message of the server's own.
    pub(crate) fn asked(&mut self, method: &str) -> Value {
        loop {
            let message = self.next().expect("the server is there");
            if message["method"] == method {
                return message;
            }
            self.heard.push(message);
        }
    }

    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end, which must come without another word, and gives what
    /// was said on standard error.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        let status = self.child.wait().unwrap();
        (status, self.stderr.take().unwrap().join().unwrap())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Where it has ended already there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
