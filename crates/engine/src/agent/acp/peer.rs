//! JSON-RPC messages to and from an agent.

use serde_json::{Value, json};
use tokio::sync::mpsc;

/// The agent at the other end of the pipes.
pub(super) struct Peer {
    to_agent: mpsc::Sender<Vec<u8>>,
    from_agent: mpsc::Receiver<Vec<u8>>,
    last_id: u64,
}

/// A message from the agent.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Incoming {
    /// The answer to one of our requests.
    Answer {
        id: u64,
        outcome: Result<Value, RpcError>,
    },
    /// A request that we have to answer.
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
}

/// The agent is gone.
#[derive(Debug)]
pub(super) struct Gone;

const METHOD_NOT_FOUND: i64 = -32601;

impl Peer {
    pub(super) fn new(
        to_agent: mpsc::Sender<Vec<u8>>,
        from_agent: mpsc::Receiver<Vec<u8>>,
    ) -> Self {
        Self {
            to_agent,
            from_agent,
            last_id: 0,
        }
    }

    /// Sends a request and returns its id.
    pub(super) async fn request(&mut self, method: &str, params: Value) -> Result<u64, Gone> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await?;
        Ok(id)
    }

    pub(super) async fn notify(&mut self, method: &str, params: Value) -> Result<(), Gone> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await
    }

    pub(super) async fn answer(&mut self, id: Value, result: Value) -> Result<(), Gone> {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
            .await
    }

    /// For requests that we never offered to handle.
    pub(super) async fn refuse(&mut self, id: Value) -> Result<(), Gone> {
        let error = json!({ "code": METHOD_NOT_FOUND, "message": "this client does not do that" });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }))
            .await
    }

    /// The next valid message. May be dropped and called again.
    pub(super) async fn listen(&mut self) -> Result<Incoming, Gone> {
        loop {
            let line = self.from_agent.recv().await.ok_or(Gone)?;
            // Some agents log to their standard output.
            if let Some(incoming) = parse(&line) {
                return Ok(incoming);
            }
        }
    }

    async fn send(&mut self, message: &Value) -> Result<(), Gone> {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        self.to_agent.send(line).await.map_err(|_| Gone)
    }
}

fn parse(line: &[u8]) -> Option<Incoming> {
    let mut message: Value = serde_json::from_slice(line).ok()?;
    let id = message
        .get_mut("id")
        .map(Value::take)
        .filter(|id| !id.is_null());
    let params = message
        .get_mut("params")
        .map(Value::take)
        .unwrap_or_default();
    match (id, message["method"].as_str()) {
        (Some(id), Some(method)) => Some(Incoming::Request {
            id,
            method: method.to_owned(),
            params,
        }),
        (None, Some(method)) => Some(Incoming::Notification {
            method: method.to_owned(),
            params,
        }),
        (Some(id), None) => {
            let outcome = match message.get_mut("result").map(Value::take) {
                Some(result) => Ok(result),
                None => Err(RpcError {
                    code: message["error"]["code"].as_i64().unwrap_or_default(),
                    message: error_text(&message["error"]),
                }),
            };
            Some(Incoming::Answer {
                id: id.as_u64()?,
                outcome,
            })
        }
        (None, None) => None,
    }
}

/// The message, and the details that the agent adds to it.
fn error_text(error: &Value) -> String {
    let message = error["message"].as_str().unwrap_or("no reason was given");
    match &error["data"] {
        Value::Null => message.to_owned(),
        Value::String(data) => format!("{message}: {data}"),
        data => format!("{message}: {data}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_distinguished() {
        let read = |text: &str| parse(text.as_bytes());
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","id":3,"result":{"a":1}}"#),
            Some(Incoming::Answer {
                id: 3,
                outcome: Ok(json!({"a": 1}))
            })
        );
        assert_eq!(
            read(r#"{"id":3,"error":{"code":-32000,"message":"no","data":"key"}}"#),
            Some(Incoming::Answer {
                id: 3,
                outcome: Err(RpcError {
                    code: -32000,
                    message: "no: key".to_owned()
                })
            })
        );
        assert!(matches!(
            read(r#"{"id":"x","method":"m"}"#),
            Some(Incoming::Request { .. })
        ));
        assert!(matches!(
            read(r#"{"method":"m"}"#),
            Some(Incoming::Notification { .. })
        ));
        for nonsense in [
            "",
            "{",
            "[]",
            "7",
            "null",
            r#"{"id":null}"#,
            r#"{"id":"x","result":1}"#,
        ] {
            assert_eq!(read(nonsense), None, "{nonsense}");
        }
    }
}
