//! Connections that can be cut on purpose.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// One connection. Once cut, nothing more is read or written, and the other
/// side sees a reset instead of an orderly end.
pub(crate) struct Wire {
    stream: TcpStream,
    cut: Cut,
}

/// Where a request came from, and the means to drop the line.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    /// The address of the forge that was connected to.
    pub(crate) local: Option<IpAddr>,
    pub(crate) cut: Cut,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Cut(Arc<AtomicBool>);

impl Cut {
    pub(crate) fn now(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn done(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    fn check(&self) -> io::Result<()> {
        if self.done() {
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        Ok(())
    }
}

impl Wire {
    pub(super) fn new(stream: TcpStream) -> Self {
        // Answers are small; waiting to fill a packet only costs time.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "cannot turn off the delay of small packets");
        }
        Self {
            stream,
            cut: Cut::default(),
        }
    }

    /// `address` is the other side's.
    pub(super) fn peer(&self, address: SocketAddr) -> Peer {
        Peer {
            address,
            local: self.stream.local_addr().ok().map(|local| local.ip()),
            cut: self.cut.clone(),
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if self.cut.done() {
            // Without this the kernel would close politely. A connection that
            // is gone already cannot be cut any more, which is as well.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.cut.check()?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.cut.check()?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.cut.check()?;
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.cut.done() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
