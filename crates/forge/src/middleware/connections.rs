//! Accepts connections and serves each of them, within limits.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::wire::Wire;
use crate::settings::ConnectionLimits;

/// After a failed accept, which mostly means too many open files, until some
/// connections have ended.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// Until `stop`; then until all requests under way have been answered.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    stop: CancellationToken,
) {
    let slots = Arc::new(Semaphore::new(limits.count));
    let mut connections = JoinSet::new();
    let next = async || {
        // The slot comes first: a client that finds none waits in the kernel's queue.
        let slot = Arc::clone(&slots).acquire_owned().await;
        (slot, accept(&listener).await)
    };
    loop {
        let (slot, (stream, address)) = tokio::select! {
            () = stop.cancelled() => break,
            next = next() => next,
        };
        let connection = serve_connection(stream, address, router.clone(), limits, stop.clone());
        connections.spawn(async move {
            connection.await;
            drop(slot);
        });
        while connections.try_join_next().is_some() {}
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn serve_connection(
    stream: TcpStream,
    address: SocketAddr,
    router: Router,
    limits: ConnectionLimits,
    stop: CancellationToken,
) {
    let wire = Wire::new(stream);
    let router = router.layer(Extension(ConnectInfo(wire.peer(address))));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_header_size(limits.head_size)
        .serve_connection(TokioIo::new(wire), TowerToHyperService::new(router));
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, %address, "a connection ended early");
    }
}
