use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::super::heard::Heard;
use super::super::session::{Life, Session};
use super::super::{AgentError, Assignment, McpServer};
use super::peer::{Gone, Incoming, Peer, RpcError};
use super::permission;
use crate::steps::StepContext;

/// The version of the protocol that is spoken here.
const VERSION: u64 = 1;

/// Before the prompt, an agent has nothing to do but to answer.
const INTRODUCTION: Duration = Duration::from_mins(2);

/// How long an agent may take to take note of a cancellation.
const CANCELLATION: Duration = Duration::from_secs(3);

/// The error of agents that nobody has logged in to.
const AUTH_REQUIRED: i64 = -32000;

/// One piece of work, from the introduction to the last word.
pub(super) struct Dialogue<'a> {
    pub(super) peer: Peer,
    pub(super) assignment: &'a Assignment<'a>,
    pub(super) session: Session,
    pub(super) context: &'a StepContext,
    pub(super) heard: &'a mut Heard,
}

/// Why a dialogue ended before its end.
enum Trouble {
    Gone,
    Refused(RpcError),
    Silent,
    Cancelled,
    Ours(AgentError),
}

impl From<Gone> for Trouble {
    fn from(_: Gone) -> Self {
        Self::Gone
    }
}

impl Dialogue<'_> {
    /// What comes of it is heard; an error is ours.
    pub(super) async fn hold(mut self) -> Result<(), AgentError> {
        match self.talk().await {
            Ok(()) | Err(Trouble::Cancelled) => {}
            Err(Trouble::Ours(error)) => return Err(error),
            Err(Trouble::Gone) => self
                .heard
                .fails("it left in the middle of the conversation"),
            Err(Trouble::Silent) => self.heard.fails("it does not answer; is it an ACP agent?"),
            Err(Trouble::Refused(error)) if error.code == AUTH_REQUIRED => {
                let text = format!(
                    "nobody is logged in to it ({}); log in once by hand",
                    error.message
                );
                self.heard.fails(&text);
                self.heard.logged_out = true;
            }
            Err(Trouble::Refused(error)) => self.heard.fails(&error.message),
        }
        Ok(())
    }

    async fn talk(&mut self) -> Result<(), Trouble> {
        let opened = timeout(INTRODUCTION, self.open()).await;
        let (session, life) = opened.map_err(|_| Trouble::Silent)??;
        self.session
            .keep(&session, life, self.context)
            .await
            .map_err(Trouble::Ours)?;
        self.heard.session = Some(session.clone());
        let prompt = json!([{ "type": "text", "text": self.assignment.prompt }]);
        let params = json!({ "sessionId": session, "prompt": prompt });
        let id = self.peer.request("session/prompt", params).await?;
        let context = self.context;
        let result = tokio::select! {
            result = self.answer_to(id, Replay::No) => result?,
            () = context.cancel.cancelled() => {
                self.cancel(id, &session).await?;
                return Err(Trouble::Cancelled);
            }
        };
        self.last_word(&result);
        Ok(())
    }

    /// Introduces us and opens a session.
    async fn open(&mut self) -> Result<(String, Life), Trouble> {
        let params = json!({
            "protocolVersion": VERSION,
            // It has the files and the terminal of the worktree by itself.
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
            return Err(Trouble::Refused(RpcError { code: 0, message }));
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
                // It has forgotten; mostly a new one will do.
                Err(Trouble::Refused(_)) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        if self.assignment.only_resume {
            let forgotten = self.session.forget(self.context).await;
            return Err(Trouble::Ours(
                forgotten.err().unwrap_or(AgentError::SessionLost),
            ));
        }
        let id = self.peer.request("session/new", params.take()).await?;
        let session = self.answer_to(id, Replay::No).await?;
        match session["sessionId"].as_str() {
            Some(id) => Ok((id.to_owned(), life)),
            None => Err(Trouble::Refused(RpcError {
                code: 0,
                message: "it opened a session without an id".to_owned(),
            })),
        }
    }

    /// Hears the agent out until it answers a request.
    async fn answer_to(&mut self, request: u64, replay: Replay) -> Result<Value, Trouble> {
        loop {
            match self.peer.listen().await? {
                Incoming::Answer { id, outcome } if id == request => {
                    return outcome.map_err(Trouble::Refused);
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
                self.heard
                    .says(update["content"]["text"].as_str().unwrap_or_default());
            }
            Some("tool_call") => {
                self.heard.usage.turns += 1;
                self.heard
                    .does(update["title"].as_str().unwrap_or_default());
            }
            Some("usage_update") if update["cost"]["currency"] == "USD" => {
                self.heard
                    .costs(update["cost"]["amount"].as_f64().unwrap_or_default());
            }
            _ => {}
        }
        if let Some(activity) = self.heard.activity.take() {
            self.context.say(&activity);
        }
    }

    fn last_word(&mut self, result: &Value) {
        self.heard.is_done = true;
        let usage = &result["usage"];
        self.heard.usage.turns += 1;
        self.heard.usage.input_tokens = usage["inputTokens"].as_u64().unwrap_or_default();
        self.heard.usage.output_tokens = usage["outputTokens"].as_u64().unwrap_or_default();
        match result["stopReason"].as_str() {
            Some("end_turn") => {}
            Some(reason) => self.heard.fails(&format!("it stopped: {reason}")),
            None => self.heard.fails("it stopped without a reason"),
        }
    }

    /// Tells the agent to stop, and waits a little for it to do so.
    async fn cancel(&mut self, prompt: u64, session: &str) -> Result<(), Trouble> {
        let params = json!({ "sessionId": session });
        self.peer.notify("session/cancel", params).await?;
        // Whether it listens or not, its processes are ended next.
        let _ = timeout(CANCELLATION, self.answer_to(prompt, Replay::No)).await;
        Ok(())
    }
}

/// Whether what the agent tells happened before.
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
