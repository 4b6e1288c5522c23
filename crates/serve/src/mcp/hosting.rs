//! MCP over streamable HTTP, as a service for the HTTP server.

use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::server::Server;

/// In bytes. A log in a call may be large.
const MAX_BODY_BYTES: usize = 16 << 20;

/// A session that has been silent for this long is forgotten. Longer than the
/// longest expected test run.
const SESSION_IDLE: Duration = Duration::from_hours(2);

pub(crate) type Service = StreamableHttpService<Server, LocalSessionManager>;

/// `http::guard` decides before this who may send requests.
pub(crate) fn http_service(server: &Server, cancel: &CancellationToken) -> Service {
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(MAX_BODY_BYTES)
        .with_cancellation_token(cancel.clone());
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_IDLE);
    let server = server.clone();
    StreamableHttpService::new(move || Ok(server.clone()), Arc::new(sessions), config)
}
