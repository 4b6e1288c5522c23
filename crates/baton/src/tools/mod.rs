//! The MCP server of this machine: every operation of the registry, and those
//! that start and steer runs of the workflow.

mod selection;
mod workflows;

use baton_serve::mcp::{Server, ToolDef};

pub(crate) use selection::Selection;

use crate::error::CommandError;
use crate::preferences::Preferences;
use crate::session::Session;

/// A set of tools that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Group {
    /// Everything about pull requests on GitHub
    PullRequests,
    /// Tests, validation, review and detection of a project on this machine
    Project,
    /// Runs that carry an issue to a merged pull request
    Workflows,
}

/// With `workflows`, also with what starts and steers runs.
pub(crate) fn server(
    session: &Session,
    workflows: bool,
    selection: &Selection,
) -> Result<Server, CommandError> {
    let preferences = Preferences::from_config(&session.config()?);
    let tools = |operations: Vec<_>| operations.into_iter().map(ToolDef::from).collect();
    let mut groups = vec![
        (
            Group::PullRequests,
            tools(baton_ops::pull_request_operations()),
        ),
        (Group::Project, tools(baton_ops::project_operations())),
    ];
    if workflows {
        groups.push((Group::Workflows, workflows::tools(session)));
    }
    let tools = selection.apply(groups)?;
    let server = Server::new(env!("CARGO_PKG_VERSION"), tools, session.context()?);
    Ok(server.preferring(move |tool, input| preferences.fill(tool, input)))
}
