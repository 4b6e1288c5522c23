//! One prompt in the Agent Client Protocol, from the handshake to the response.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::super::session::{Life, Session};
use super::super::transcript::Transcript;
use super::super::{AgentError, Assignment, McpServer};
use super::peer::{Gone, Incoming, Peer, RpcError};
use super::permission;
use crate::steps::StepContext;

/// The supported version of the protocol.
const VERSION: u64 = 1;

/// Before the prompt, an agent only has to respond.
const INTRODUCTION: Duration = Duration::from_mins(2);

/// How long an agent may take to react to a cancellation.
const CANCELLATION: Duration = Duration::from_secs(3);

/// The error code of agents that need a login.
const AUTH_REQUIRED: i64 = -32000;

/// One conversation, from `initialize` to the final response.
pub(super) struct Dialogue<'a> {
    pub(super) peer: Peer,
    pub(super) assignment: &'a Assignment<'a>,
    pub(super) session: Session,
    pub(super) context: &'a StepContext,
    pub(super) transcript: &'a mut Transcript,
}

/// Why a dialogue ended early.
enum DialogueError {
    Gone,
    Refused(RpcError),
    Silent,
    Cancelled,
    Ours(AgentError),
}

impl From<Gone> for DialogueError {
    fn from(_: Gone) -> Self {
        Self::Gone
    }
}

impl Dialogue<'_> {
    /// Results go into the transcript; an error means that our side failed.
    pub(super) async fn hold(mut self) -> Result<(), AgentError> {
        match self.talk().await {
            Ok(()) | Err(DialogueError::Cancelled) => {}
            Err(DialogueError::Ours(error)) => return Err(error),
            Err(DialogueError::Gone) => self
                .transcript
                .set_error("it left in the middle of the conversation"),
            Err(DialogueError::Silent) => self
                .transcript
                .set_error("it does not answer; is it an ACP agent?"),
            Err(DialogueError::Refused(error)) if error.code == AUTH_REQUIRED => {
                let text = format!(
                    "no one is logged in to it ({}); log in once by hand",
                    error.message
                );
                self.transcript.set_error(&text);
                self.transcript.logged_out = true;
            }
            Err(DialogueError::Refused(error)) => self.transcript.set_error(&error.message),
        }
        Ok(())
    }

    async fn talk(&mut self) -> Result<(), DialogueError> {
        let opened = timeout(INTRODUCTION, self.open()).await;
        let (session, life) = opened.map_err(|_| DialogueError::Silent)??;
        self.session
            .keep(&session, life, self.context)
            .await
            .map_err(DialogueError::Ours)?;
        self.transcript.session = Some(session.clone());
        let prompt = json!([{ "type": "text", "text": self.assignment.prompt }]);
        let params = json!({ "sessionId": session, "prompt": prompt });
        let id = self.peer.request("session/prompt", params).await?;
        let context = self.context;
        let result = tokio::select! {
            result = self.answer_to(id, Replay::No) => result?,
            () = context.cancel.cancelled() => {
                self.cancel(id, &session).await?;
                return Err(DialogueError::Cancelled);
            }
        };
        self.last_word(&result);
        Ok(())
    }

    /// Initializes the connection and opens a session.
    async fn open(&mut self) -> Result<(String, Life), DialogueError> {
        let params = json!({
            "protocolVersion": VERSION,
            // The agent accesses the files and the terminal of the worktree by
            // itself.
            "clientCapabilities": { "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false },
            "clientInfo": { "name": "baton", "version": env!("CARGO_PKG_VERSION") },
        });
        let id = self.peer.request("initialize", params).await?;
        let agent = self.answer_to(id, Replay::No).await?;
        if agent["protocolVersion"].as_u64() != Some(VERSION) {
            let message = format!(
                "it speaks version {} of the protocol, and baton speaks {VERSION}",
                agent["protocolVersion"]
            );
            return Err(DialogueError::Refused(RpcError { code: 0, message }));
        }
        let mut params = json!({
            "cwd": self.assignment.worktree,
            "mcpServers": self.assignment.mcp_servers.iter().map(server).collect::<Vec<_>>(),
        });
        let life = match &agent["agentCapabilities"]["loadSession"] {
            Value::Bool(true) => Life::Outlives,
            _ => Life::EndsWithAgent,
        };
        if let Some(earlier) = self.session.earlier.clone()
            && life == Life::Outlives
        {
            let mut params = params.clone();
            params["sessionId"] = json!(earlier);
            let id = self.peer.request("session/load", params).await?;
            match self.answer_to(id, Replay::Yes).await {
                Ok(_) => return Ok((earlier, life)),
                // The agent no longer has it; usually a new session will do.
                Err(DialogueError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
        if self.assignment.only_resume {
            let forgotten = self.session.forget(self.context).await;
            return Err(DialogueError::Ours(
                forgotten.err().unwrap_or(AgentError::SessionLost),
            ));
        }
        let id = self.peer.request("session/new", params.take()).await?;
        let session = self.answer_to(id, Replay::No).await?;
        match session["sessionId"].as_str() {
            Some(id) => Ok((id.to_owned(), life)),
            None => Err(DialogueError::Refused(RpcError {
                code: 0,
                message: "it opened a session without an id".to_owned(),
            })),
        }
    }

    /// Handles the agent's messages until it responds to a request.
    async fn answer_to(&mut self, request: u64, replay: Replay) -> Result<Value, DialogueError> {
        loop {
            match self.peer.listen().await? {
                Incoming::Answer { id, outcome } if id == request => {
                    return outcome.map_err(DialogueError::Refused);
                }
                Incoming::Answer { .. } => {}
                Incoming::Request { id, method, params } => {
                    if method == "session/request_permission" {
                        let answer = permission::answer(self.assignment.role, &params);
                        self.peer.answer(id, answer).await?;
                    } else {
                        self.peer.refuse(id).await?;
                    }
                }
                Incoming::Notification { method, params } => {
                    if method == "session/update" && replay == Replay::No {
                        self.update(&params["update"]);
                    }
                }
            }
        }
    }

    fn update(&mut self, update: &Value) {
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => {
                self.transcript
                    .append(update["content"]["text"].as_str().unwrap_or_default());
            }
            Some("tool_call") => {
                self.transcript.usage.turns += 1;
                self.transcript
                    .set_activity(update["title"].as_str().unwrap_or_default());
            }
            Some("usage_update") if update["cost"]["currency"] == "USD" => {
                self.transcript
                    .set_cost(update["cost"]["amount"].as_f64().unwrap_or_default());
            }
            _ => {}
        }
        if let Some(activity) = self.transcript.activity.take() {
            self.context.say(&activity);
        }
    }

    fn last_word(&mut self, result: &Value) {
        self.transcript.is_done = true;
        let usage = &result["usage"];
        self.transcript.usage.turns += 1;
        self.transcript.usage.input_tokens = usage["inputTokens"].as_u64().unwrap_or_default();
        self.transcript.usage.output_tokens = usage["outputTokens"].as_u64().unwrap_or_default();
        match result["stopReason"].as_str() {
            Some("end_turn") => {}
            Some(reason) => self.transcript.set_error(&format!("it stopped: {reason}")),
            None => self.transcript.set_error("it stopped without a reason"),
        }
    }

    /// Asks the agent to stop, and waits briefly for it to do so.
    async fn cancel(&mut self, prompt: u64, session: &str) -> Result<(), DialogueError> {
        let params = json!({ "sessionId": session });
        self.peer.notify("session/cancel", params).await?;
        // Its processes are ended next in any case.
        let _ = timeout(CANCELLATION, self.answer_to(prompt, Replay::No)).await;
        Ok(())
    }
}

/// Whether the agent replays updates of an earlier session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Replay {
    Yes,
    No,
}

fn server(server: &McpServer) -> Value {
    let env: Vec<Value> = server
        .env
        .iter()
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect();
    json!({ "name": server.name, "command": server.program, "args": server.args, "env": env })
}
