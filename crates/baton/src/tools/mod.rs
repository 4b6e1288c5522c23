//! The MCP server of this machine: every operation of the registry, and those
//! that start and steer runs of the workflow.

mod workflows;

use baton_serve::mcp::{Server, ToolDef};

use crate::error::CommandError;
use crate::preferences::Preferences;
use crate::session::Session;

/// With `workflows`, also with what starts and steers runs.
pub(crate) fn server(session: &Session, workflows: bool) -> Result<Server, CommandError> {
    let preferences = Preferences::from_config(&session.config()?);
    let mut tools: Vec<ToolDef> = baton_ops::operations()
        .into_iter()
        .map(ToolDef::from)
        .collect();
    if workflows {
        tools.extend(workflows::tools(session));
    }
    let server = Server::new(env!("CARGO_PKG_VERSION"), tools, session.context()?);
    Ok(server.preferring(move |tool, input| preferences.fill(tool, input)))
}
