//! MCP on standard input and output.

use std::io;

use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServiceExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::server::Server;

/// In bytes: the longest message that is read. A log in a call may be large.
const MAX_MESSAGE_LEN: usize = 16 << 20;

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
        let transport = AsyncRwTransport::new(input, output).with_max_line_length(MAX_MESSAGE_LEN);
        let transport = Patient {
            transport,
            begun: false,
        };
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

/// Skips everything before the first request, which would otherwise end the
/// connection.
struct Patient<T> {
    transport: T,
    begun: bool,
}

impl<T> Transport<RoleServer> for Patient<T>
where
    T: Transport<RoleServer, Error = io::Error>,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.transport.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.transport.receive().await?;
            self.begun |= matches!(message, JsonRpcMessage::Request(_));
            if self.begun {
                return Some(message);
            }
            tracing::debug!("ignoring a message before the first request");
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.transport.close().await
    }
}
