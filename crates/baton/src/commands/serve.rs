//! `baton serve`: the tools over HTTP.

use std::net::SocketAddr;

use baton_serve::http::{self, Settings, Token};
use baton_serve::mcp::Server;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::environment::{self, BATON_SERVE_TOKEN};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Style};
use crate::tools::{self, Selection};

/// Serve the tools over HTTP: MCP at /mcp
///
/// Clients must show a token: that of the environment variable
/// `BATON_SERVE_TOKEN` or, without it, one that is made up and printed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4114")]
    listen: SocketAddr,

    /// Answer to this host name, too, as in `baton.example.com`
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,

    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let given = environment::text(&session.environment, BATON_SERVE_TOKEN);
    let token = match given {
        None => Token::generate(),
        Some(text) => Token::new(text).map_err(|error| {
            CommandError::wrong_use(format!("{BATON_SERVE_TOKEN} cannot be used"))
                .because(error)
                .hint("Choose a longer one, or unset it to have one made up.")
        })?,
    };
    let server = tools::server(session, true, &args.selection)?;
    runtime::run_to_end(async |cancel| serve(args, server, token, given.is_none(), cancel).await)??;
    Ok(Exit::Done)
}

async fn serve(
    args: &Args,
    server: Server,
    token: Token,
    made_up: bool,
    cancel: CancellationToken,
) -> Result<(), CommandError> {
    let broken = |doing: &str, error: std::io::Error| {
        CommandError::missing(format!("cannot {doing} {}", args.listen))
            .because(error)
            .hint("Choose another address with --listen; port 0 takes any that is free.")
    };
    let listener = TcpListener::bind(args.listen)
        .await
        .map_err(|error| broken("listen on", error))?;
    let address = listener
        .local_addr()
        .map_err(|error| broken("listen on", error))?;
    terminal::error_line(&format!(
        "MCP: {}",
        Style::Heading.paint(http::url(address))
    ));
    terminal::error_line(&if made_up {
        format!("Token: {}", token.expose())
    } else {
        format!("Token: that of {BATON_SERVE_TOKEN}")
    });
    let settings = Settings {
        token,
        hosts: args.allow_host.clone(),
    };
    http::serve(listener, server, settings, cancel)
        .await
        .map_err(|error| broken("serve on", error))
}
