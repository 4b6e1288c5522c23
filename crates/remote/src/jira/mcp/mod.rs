//! Jira through the Atlassian MCP server that the user has configured for their
//! agents. There are two that matter, `mcp-atlassian` and Atlassian's own. Their
//! tools differ in names, arguments and results, and the list of tools identifies
//! the server.

mod arguments;
mod replies;
mod session;
mod tools;

use std::fmt;
use std::sync::Arc;

use baton_host::cmd::Cmd;
use serde_json::Value;
use tokio::sync::OnceCell;

use super::error::{JiraError, JiraErrorKind};
use super::model::{IssueState, Linked, PullRequestLink, Transition, mentions};
use crate::http::{Secret, Settings};

use self::arguments::Arguments;
use self::replies::Reply;
use self::session::Session;
use self::tools::Role;

/// A server as the user configured it.
#[derive(Clone, Debug)]
pub struct McpServer {
    pub name: String,
    /// Where it is configured, for display.
    pub found_in: String,
    pub reached: Reached,
}

/// How a server is reached.
#[derive(Clone)]
pub enum Reached {
    /// A program that speaks on its standard input and output.
    Program(Cmd),
    /// Streamable HTTP; the address is the base URL of the settings.
    Http {
        settings: Settings,
        headers: Vec<(String, Secret)>,
    },
}

impl fmt::Debug for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(cmd) => write!(f, "Program({cmd})"),
            Self::Http { settings, .. } => write!(f, "Http({})", settings.base_url),
        }
    }
}

/// Sends requests to Jira through an MCP server, which is started on first use
/// and ended with the last clone.
#[derive(Clone, Debug)]
pub struct McpJira {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    server: McpServer,
    /// The site to use, if the account can see several.
    site_url: Option<String>,
    session: OnceCell<Result<Session, JiraErrorKind>>,
    cloud: OnceCell<String>,
}

/// The newest comments are searched for one that was written before.
const SEARCHED_COMMENTS: u32 = 100;

impl McpJira {
    pub fn new(server: McpServer, site_url: Option<String>) -> Self {
        Self {
            shared: Arc::new(Shared {
                server,
                site_url,
                session: OnceCell::new(),
                cloud: OnceCell::new(),
            }),
        }
    }

    pub fn server(&self) -> &McpServer {
        &self.shared.server
    }

    pub async fn issue(&self, key: &str) -> Result<IssueState, JiraError> {
        let reply = self
            .ask("read", key, Role::Issue, |arguments| {
                arguments.issue(key).choice("fields", "status");
                arguments.number("comment_limit", 0);
            })
            .await?;
        reply
            .issue(key)
            .ok_or_else(|| self.not_understood("read", key, &reply))
    }

    pub async fn transitions(&self, key: &str) -> Result<Vec<Transition>, JiraError> {
        let doing = "read the transitions of";
        let reply = self
            .ask(doing, key, Role::Transitions, |arguments| {
                arguments.issue(key).choice("expand", "transitions.fields");
            })
            .await?;
        reply
            .transitions()
            .ok_or_else(|| self.not_understood(doing, key, &reply))
    }

    /// Returns the issue's new status, where the server reports it.
    pub async fn transition(&self, key: &str, id: &str) -> Result<Option<String>, JiraError> {
        let reply = self
            .ask("move", key, Role::Transition, |arguments| {
                arguments.issue(key).transition(id);
            })
            .await?;
        Ok(reply.status_after_move())
    }

    /// Servers take no global id, so a link is looked for before it is created.
    pub async fn link(&self, key: &str, link: PullRequestLink<'_>) -> Result<Linked, JiraError> {
        if self.is_linked(key, link.url).await? {
            return Ok(Linked::Already);
        }
        let session = self.session("link", key).await?;
        if session.tools().has(Role::Link) {
            let made = self
                .ask("link", key, Role::Link, |arguments| {
                    arguments.issue(key).text("url", link.url);
                    arguments.text("title", link.title);
                    arguments.text("relationship", "pull request");
                })
                .await;
            match made {
                Ok(_) => return Ok(Linked::RemoteLink),
                Err(error) if may_comment_instead(&error) => {}
                Err(error) => return Err(error),
            }
        }
        self.ask("comment on", key, Role::Comment, |arguments| {
            arguments.issue(key).comment(&link.comment());
        })
        .await?;
        Ok(Linked::Comment)
    }

    async fn is_linked(&self, key: &str, url: &str) -> Result<bool, JiraError> {
        let doing = "look for the link of";
        let session = self.session(doing, key).await?;
        if session.tools().has(Role::Links) {
            let reply = self
                .ask(doing, key, Role::Links, |arguments| {
                    arguments.issue(key);
                })
                .await?;
            if mentions(reply.value(), url) {
                return Ok(true);
            }
        }
        let reply = self
            .ask(doing, key, Role::Issue, |arguments| {
                arguments.issue(key).choice("fields", "comment");
                arguments.number("comment_limit", SEARCHED_COMMENTS);
                arguments.text("include", "remote_links,comments");
            })
            .await?;
        Ok(mentions(reply.value(), url))
    }

    async fn session(&self, doing: &'static str, key: &str) -> Result<&Session, JiraError> {
        let server = &self.shared.server;
        let begun = self.shared.session.get_or_init(|| Session::begin(server));
        begun
            .await
            .as_ref()
            .map_err(|kind| JiraError::new(doing, key, kind.clone()))
    }

    /// Calls the tool that has this role, with those of the arguments that it
    /// takes.
    async fn ask(
        &self,
        doing: &'static str,
        key: &str,
        role: Role,
        fill: impl FnOnce(&mut Arguments<'_>),
    ) -> Result<Reply, JiraError> {
        let failed = |kind| JiraError::new(doing, key, kind);
        let session = self.session(doing, key).await?;
        let tool = session.tools().find(role).map_err(|missing| {
            failed(JiraErrorKind::McpUnusable {
                server: self.shared.server.name.clone(),
                reason: missing.to_string(),
            })
        })?;
        let mut arguments = Arguments::new(tool);
        fill(&mut arguments);
        if arguments.wants_cloud() {
            arguments.cloud(self.cloud(session).await.map_err(failed)?);
        }
        let arguments = arguments.finish().map_err(|reason| {
            failed(JiraErrorKind::McpUnusable {
                server: self.shared.server.name.clone(),
                reason,
            })
        })?;
        session.call(tool, arguments).await.map_err(failed)
    }

    /// Atlassian's own server needs the id of the site.
    async fn cloud(&self, session: &Session) -> Result<&str, JiraErrorKind> {
        let unusable = |reason: String| JiraErrorKind::McpUnusable {
            server: self.shared.server.name.clone(),
            reason,
        };
        let found = self.shared.cloud.get_or_try_init(async || {
            let tool = session
                .tools()
                .find(Role::Sites)
                .map_err(|missing| unusable(missing.to_string()))?;
            let reply = session.call(tool, serde_json::Map::new()).await?;
            replies::site(reply.value(), self.shared.site_url.as_deref()).map_err(unusable)
        });
        found.await.map(String::as_str)
    }

    fn not_understood(&self, doing: &'static str, key: &str, reply: &Reply) -> JiraError {
        let kind = JiraErrorKind::Mcp {
            server: self.shared.server.name.clone(),
            message: reply.excerpt(),
        };
        JiraError::new(doing, key, kind)
    }
}

/// The issue was read before, so "not found" is about remote links.
fn may_comment_instead(error: &JiraError) -> bool {
    matches!(
        error.kind(),
        JiraErrorKind::IssueNotFound | JiraErrorKind::NotPermitted { .. }
    )
}

/// The arguments of a call.
type Object = serde_json::Map<String, Value>;
