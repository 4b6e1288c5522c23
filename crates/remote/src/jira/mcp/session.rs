//! The connection to a server.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use baton_host::cmd::{Cmd, StreamedEnding};
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use rmcp::model::{CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::{
    ClientInitializeError, RoleClient, RunningService, ServiceError, serve_client,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use super::replies::{Reply, judge};
use super::tools::{Tool, Tools};
use super::{McpServer, Object, Reached};
use crate::http::{Secret, Settings};
use crate::jira::error::JiraErrorKind;

/// A server that is downloaded before it starts takes longer.
const TO_START: Duration = Duration::from_mins(1);
const TO_ANSWER: Duration = Duration::from_mins(1);

/// Far more than an issue takes. Output after this is not read.
const MAX_STDOUT_BYTES: u64 = 64 * 1024 * 1024;

/// Started, with its tools known.
pub(super) struct Session {
    server: String,
    client: RunningService<RoleClient, ClientConfig>,
    tools: Tools,
    /// Ends the program when dropped.
    _program: Option<StreamedEnding>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

impl Session {
    pub(super) async fn begin(server: &McpServer) -> Result<Self, JiraErrorKind> {
        let unusable = |reason: String| JiraErrorKind::McpUnusable {
            server: server.name.clone(),
            reason,
        };
        let begun = timeout(TO_START, async {
            let (client, program) = match &server.reached {
                Reached::Program(cmd) => start(cmd).await?,
                Reached::Http { settings, headers } => (connect(settings, headers).await?, None),
            };
            let tools = client
                .list_all_tools()
                .await
                .map_err(|error| Unusable::from_call(&error))?;
            Ok((client, program, tools))
        });
        let (client, program, tools) = match begun.await {
            Ok(Ok(begun)) => begun,
            Ok(Err(Unusable::LoginWanted)) => return Err(JiraErrorKind::Authentication),
            Ok(Err(Unusable::Because(reason))) => return Err(unusable(reason)),
            Err(_) => {
                let seconds = TO_START.as_secs();
                return Err(unusable(format!("it did not answer within {seconds} s")));
            }
        };
        let tools = tools.into_iter().map(|tool| Tool {
            name: tool.name.into_owned(),
            schema: (*tool.input_schema).clone(),
        });
        Ok(Self {
            server: server.name.clone(),
            client,
            tools: Tools::new(tools.collect()),
            _program: program,
        })
    }

    pub(super) fn tools(&self) -> &Tools {
        &self.tools
    }

    pub(super) async fn call(
        &self,
        tool: &Tool,
        arguments: Object,
    ) -> Result<Reply, JiraErrorKind> {
        let request = CallToolRequestParams::new(tool.name.clone()).with_arguments(arguments);
        tracing::debug!(server = %self.server, tool = %tool.name, "calling a tool");
        let failed = |message: String| JiraErrorKind::Mcp {
            server: self.server.clone(),
            message,
        };
        let answered = timeout(TO_ANSWER, self.client.call_tool(request)).await;
        let result = match answered {
            Ok(Ok(result)) => result,
            Ok(Err(ServiceError::McpError(error))) => {
                return Err(judge(&self.server, &error.message));
            }
            Ok(Err(error)) => return Err(failed(error.to_string())),
            Err(_) => return Err(failed(format!("nothing within {} s", TO_ANSWER.as_secs()))),
        };
        let texts = result.content.iter().filter_map(|block| block.as_text());
        let texts: Vec<&str> = texts.map(|text| text.text.as_str()).collect();
        Reply::read(
            &self.server,
            &texts.join("\n"),
            result.is_error == Some(true),
        )
    }
}

type Client = RunningService<RoleClient, ClientConfig>;

enum Unusable {
    LoginWanted,
    Because(String),
}

impl Unusable {
    fn from_call(error: &ServiceError) -> Self {
        Self::Because(excerpt(&error.to_string()))
    }

    fn from_start(error: &ClientInitializeError) -> Self {
        if error.is_authorization_required() {
            return Self::LoginWanted;
        }
        Self::Because(excerpt(&error.to_string()))
    }
}

fn excerpt(text: &str) -> String {
    crate::http::display::excerpt(text)
}

async fn start(cmd: &Cmd) -> Result<(Client, Option<StreamedEnding>), Unusable> {
    let started = cmd.start_streamed();
    let mut child = started.map_err(|error| Unusable::Because(excerpt(&error.to_string())))?;
    let stdin = child.stdin.take().expect("a streamed child has an input");
    let stdout = child.stdout.take(MAX_STDOUT_BYTES);
    match serve_client(ourselves(), (stdout, stdin)).await {
        Ok(client) => Ok((client, Some(child.ending))),
        Err(error) => {
            // Its own output is more useful, and it is complete once the program
            // ends.
            let ended = timeout(Duration::from_secs(2), child.ending.wait()).await;
            let said = ended.map(|(_, said)| said).unwrap_or_default();
            let said = cmd.redactor().redact(&said).into_owned();
            match said.lines().rev().find(|line| !line.trim().is_empty()) {
                Some(line) => Err(Unusable::Because(excerpt(line))),
                None => Err(Unusable::from_start(&error)),
            }
        }
    }
}

async fn connect(settings: &Settings, headers: &[(String, Secret)]) -> Result<Client, Unusable> {
    let because = |text: &dyn fmt::Display| Unusable::Because(excerpt(&text.to_string()));
    let client = crate::http::client_for(settings).map_err(|error| because(&error))?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(settings.base_url.as_str());
    let mut others = HashMap::new();
    for (name, value) in headers {
        let name = HeaderName::try_from(name.as_str()).map_err(|error| because(&error))?;
        match value.expose().strip_prefix("Bearer ") {
            Some(token) if name == AUTHORIZATION => config = config.auth_header(token),
            _ => {
                let mut value =
                    HeaderValue::from_str(value.expose()).map_err(|error| because(&error))?;
                value.set_sensitive(true);
                others.insert(name, value);
            }
        }
    }
    let transport =
        StreamableHttpClientTransport::with_client(client, config.custom_headers(others));
    serve_client(ourselves(), transport)
        .await
        .map_err(|error| Unusable::from_start(&error))
}

fn ourselves() -> ClientConfig {
    let baton = Implementation::new("baton", env!("CARGO_PKG_VERSION"));
    ClientConfig::new(ClientCapabilities::default(), baton)
}
