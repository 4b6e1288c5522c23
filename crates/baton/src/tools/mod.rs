//! The MCP server of this machine: every operation of the registry, and those
//! that start and steer runs of the workflow.

mod rights;
mod selection;
mod workflows;

use std::sync::Arc;

use baton_ops::Context;
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
    let on_github = |(group, _): &&(Group, Vec<ToolDef>)| *group != Group::Project;
    let acting: Vec<&'static str> = groups
        .iter()
        .filter(on_github)
        .flat_map(|(_, tools)| tools)
        .filter(|tool| !tool.operation.meta.effects.read_only)
        .filter(|tool| !workflows::STEERING.contains(&tool.operation.meta.name))
        .map(|tool| tool.operation.meta.name)
        .collect();
    let tools = selection.apply(groups)?;
    let context = Context {
        lockdown: selection.lockdown,
        ..session.context()?
    };
    let server = Server::new(env!("CARGO_PKG_VERSION"), tools, context)
        .preferring(move |tool, input| preferences.fill(tool, input));
    Ok(match rights::Asking::new(session)? {
        None => server,
        Some(asking) => {
            let asking = Arc::new(asking);
            server.withholding(move || rights::without_scopes(asking.clone(), acting.clone()))
        }
    })
}
