//! `baton mcp`: the tools on standard input and output.

use std::io::IsTerminal as _;

use crate::error::CommandError;
use crate::exit::Exit;
use crate::runs;
use crate::runtime;
use crate::session::Session;
use crate::terminal;
use crate::tools::{self, Selection};

/// Serve the tools to an AI agent over standard input and output (MCP)
///
/// Agents start this themselves; docs/mcp.md says how to tell them. Standard
/// output carries the protocol and nothing else.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Leave out the tools that start and steer runs of the workflow
    ///
    /// Coding agents that work in a run get the others: they must not answer the
    /// questions that are asked about their own work.
    #[arg(long)]
    no_workflows: bool,

    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    // An agent may leave the flag out when it starts the server itself.
    let workflows = !args.no_workflows && !runs::is_agent(session);
    let server = tools::server(session, workflows, &args.selection)?;
    if std::io::stdin().is_terminal() {
        terminal::error_line(
            "baton speaks MCP on standard input, which agents do, not people. `baton pr` and \
             `baton test` are for you; Ctrl-D ends this.",
        );
    }
    let ended = runtime::run_to_end(async |cancel| server.serve_stdio(cancel).await)?;
    ended.map_err(|error| {
        CommandError::wrong_use("cannot serve the client")
            .because(error)
            .hint("Clients of MCP begin with `initialize`, one JSON message per line.")
    })?;
    Ok(Exit::Done)
}
