//! The HTTP server: MCP at `/mcp`, for clients with the token.

mod guard;
mod malformed;
mod token;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::{Router, middleware};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::guard::Guard;
pub use self::token::{Token, TooShort};
use crate::mcp::{Server, http_service};

/// The path of the MCP endpoint.
pub const MCP_PATH: &str = "/mcp";

/// How long open connections may take to end.
const GRACE: Duration = Duration::from_secs(5);

/// The settings of the HTTP server.
pub struct Settings {
    pub token: Token,
    /// Names of this machine, besides those of loopback and the listening
    /// address.
    pub hosts: Vec<String>,
}

/// Serves until `cancel` is triggered, then ends running calls.
pub async fn serve(
    listener: TcpListener,
    server: Server,
    settings: Settings,
    cancel: CancellationToken,
) -> io::Result<()> {
    let guard = Arc::new(Guard::new(settings, listener.local_addr()?));
    // Streams that never end by themselves would delay the shutdown.
    let streams = cancel.child_token();
    let app = router(guard, &server, &streams);
    let shutdown = cancel.clone().cancelled_owned();
    let serving = axum::serve(listener, app).with_graceful_shutdown(shutdown);
    let outcome = tokio::select! {
        outcome = serving.into_future() => outcome,
        () = ended(&cancel, &server) => Ok(()),
    };
    server.end().await;
    outcome
}

/// The address to display to users.
pub fn url(address: SocketAddr) -> String {
    format!("http://{address}{MCP_PATH}")
}

fn router(guard: Arc<Guard>, server: &Server, streams: &CancellationToken) -> Router {
    Router::new()
        .route_service(MCP_PATH, http_service(server, streams))
        .layer(middleware::from_fn(malformed::answer))
        .layer(middleware::from_fn_with_state(guard, guard::check))
}

async fn ended(cancel: &CancellationToken, server: &Server) {
    cancel.cancelled().await;
    server.end().await;
    tokio::time::sleep(GRACE).await;
}
