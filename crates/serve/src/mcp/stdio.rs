//! MCP on standard input and output.

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::line_transport::LineTransport;
use super::server::Server;

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("cannot begin to speak MCP with the client")]
    Begin(#[source] Box<ServerInitializeError>),
    #[error("the MCP connection broke off")]
    BrokeOff(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Server {
    /// Serves the client on this process's standard streams until it closes them
    /// or `cancel` is triggered.
    pub async fn serve_stdio(&self, cancel: CancellationToken) -> Result<(), ServeError> {
        let (input, output) = rmcp::transport::stdio_pipes();
        self.serve(input, output, cancel).await
    }

    /// Serves one client, one JSON message per line.
    pub async fn serve<R, W>(
        &self,
        input: R,
        output: W,
        cancel: CancellationToken,
    ) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        // The client asks for the tools next. They are made in this thread:
        // starting another and waiting for it takes longer than the work.
        self.tools();
        let transport = LineTransport::new(input, output);
        let outcome = match self.clone().serve_with_ct(transport, cancel).await {
            Ok(running) => running
                .waiting()
                .await
                .map(drop)
                .map_err(|error| ServeError::BrokeOff(Box::new(error))),
            // The client disconnected, or we were cancelled, before the first
            // message.
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
                Ok(())
            }
            Err(error) => Err(ServeError::Begin(Box::new(error))),
        };
        self.end().await;
        outcome
    }
}
