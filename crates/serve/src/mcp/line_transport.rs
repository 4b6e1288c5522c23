//! One JSON message per line, in both directions.
//!
//! rmcp's own transport drops what it cannot parse, so that a client waits for its answer without an
//! end. Here every such line is answered with the error that JSON-RPC has for it.

use std::io;
use std::mem;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;

/// In bytes: the longest message that is read. A log in a call may be large.
const MAX_MESSAGE_LEN: usize = 16 << 20;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;

pub(super) struct LineTransport<R, W> {
    input: BufReader<R>,
    /// The part of a line that was read so far. `receive` may be dropped at any await, so it is kept
    /// here.
    line: Vec<u8>,
    /// The rest of a line that is too long is skipped.
    is_skipping: bool,
    /// Messages before the first request are ignored: rmcp would end the connection.
    has_begun: bool,
    output: Arc<Mutex<Option<W>>>,
}

/// A message that cannot be passed on.
#[derive(Debug, PartialEq)]
enum Unusable {
    /// Answered with an error.
    Refused { code: i64, id: Value, why: String },
    /// Notifications and answers are never answered.
    Ignored,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> LineTransport<R, W> {
    pub(super) fn new(input: R, output: W) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            is_skipping: false,
            has_begun: false,
            output: Arc::new(Mutex::new(Some(output))),
        }
    }

    /// The next line, or why it was not kept. `None` at the end of the input.
    async fn next_line(&mut self) -> io::Result<Option<Result<Vec<u8>, Unusable>>> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                return Ok(None);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let len = end.map_or(available.len(), |end| end + 1);
            if !self.is_skipping {
                self.line.extend_from_slice(&available[..len]);
            }
            self.input.consume(len);
            if self.line.len() > MAX_MESSAGE_LEN {
                self.line = Vec::new();
                self.is_skipping = end.is_none();
                return Ok(Some(Err(Unusable::too_long())));
            }
            if end.is_some() && !mem::take(&mut self.is_skipping) {
                return Ok(Some(Ok(mem::take(&mut self.line))));
            }
        }
    }

    /// In a task of its own: half of an answer must not be left behind when `receive` is dropped.
    fn refuse(&self, code: i64, id: &Value, why: &str) {
        let answer = json!({
            "jsonrpc": "2.0",
            "id": id,
            "error": { "code": code, "message": why },
        });
        let output = Arc::clone(&self.output);
        tokio::spawn(async move {
            if let Err(error) = write_line(&output, answer.to_string()).await {
                tracing::debug!(%error, "cannot refuse a message");
            }
        });
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move { write_line(&output, serde_json::to_string(&message)?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let line = match self.next_line().await {
                Ok(line) => line?,
                Err(error) => {
                    tracing::debug!(%error, "cannot read from the client");
                    return None;
                }
            };
            let message = match line.and_then(|line| parse(&line)) {
                Ok(message) => message,
                Err(Unusable::Refused { code, id, why }) => {
                    self.refuse(code, &id, &why);
                    continue;
                }
                Err(Unusable::Ignored) => continue,
            };
            self.has_begun |= matches!(message, JsonRpcMessage::Request(_));
            if self.has_begun {
                return Some(message);
            }
            tracing::debug!("ignoring a message before the first request");
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        drop(self.output.lock().await.take());
        Ok(())
    }
}

impl Unusable {
    fn too_long() -> Self {
        Self::Refused {
            code: INVALID_REQUEST,
            id: Value::Null,
            why: format!("the message is longer than {} MiB", MAX_MESSAGE_LEN >> 20),
        }
    }
}

async fn write_line<W: AsyncWrite + Unpin>(
    output: &Mutex<Option<W>>,
    mut line: String,
) -> io::Result<()> {
    line.push('\n');
    let mut output = output.lock().await;
    let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    output.write_all(line.as_bytes()).await?;
    output.flush().await
}

fn parse(line: &[u8]) -> Result<RxJsonRpcMessage<RoleServer>, Unusable> {
    // Some editors write it before the first message.
    let line = line
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(line)
        .trim_ascii();
    if line.is_empty() {
        return Err(Unusable::Ignored);
    }
    serde_json::from_slice(line).map_err(|_| match serde_json::from_slice(line) {
        Ok(value) => classify(&value),
        Err(error) => Unusable::Refused {
            code: PARSE_ERROR,
            id: Value::Null,
            why: format!("the line is no JSON: {error}; send one JSON object per line"),
        },
    })
}

/// What is wrong with JSON that is no message.
fn classify(value: &Value) -> Unusable {
    let has = |name| value.get(name).is_some();
    let is_notification = value["method"].is_string() && !has("id");
    let is_answer = has("result") || has("error");
    if is_notification || is_answer {
        return Unusable::Ignored;
    }
    let id = &value["id"];
    Unusable::Refused {
        code: INVALID_REQUEST,
        id: if id.is_string() || id.is_number() {
            id.clone()
        } else {
            Value::Null
        },
        why:
            "this is no JSON-RPC request: it needs `jsonrpc`, `id`, `method` and, if any, `params` \
              as an object"
                .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(line: &[u8]) -> String {
        match parse(line) {
            Ok(_) => "taken".to_owned(),
            Err(Unusable::Ignored) => "ignored".to_owned(),
            Err(Unusable::Refused { code, id, .. }) => format!("{code} {id}"),
        }
    }

    #[test]
    fn what_cannot_be_read_is_answered() {
        let deep = [b"[".repeat(10_000), b"]".repeat(10_000)].concat();
        let cases: [(&[u8], &str); 12] = [
            (br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "taken"),
            (
                b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n",
                "taken",
            ),
            (b"", "ignored"),
            (b"not JSON", "-32700 null"),
            (br#"{"jsonrpc":"2.0","id":1,"method":"pi"#, "-32700 null"),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
                "-32700 null",
            ),
            (&deep, "-32700 null"),
            (b"[]", "-32600 null"),
            (br#"{"jsonrpc":"2.0"}"#, "-32600 null"),
            (br#"{"jsonrpc":"2.0","id":7,"method":4}"#, "-32600 7"),
            (
                br#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#,
                "-32600 \"a\"",
            ),
            (br#"{"id":7,"error":{}}"#, "ignored"),
        ];
        for (line, expected) in cases {
            let shown = String::from_utf8_lossy(&line[..line.len().min(60)]);
            assert_eq!(answer(line), expected, "{shown}");
        }
    }
}
