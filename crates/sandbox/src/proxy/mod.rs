//! An HTTP proxy that reaches only the hosts of a list.
//!
//! It listens on a Unix socket, which a network namespace does not cut off. It
//! tunnels (`CONNECT`) and passes on plain requests; it does not look inside.
//! Hosts that were refused are remembered.

mod allow_list;
mod request;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use allow_list::AllowList;

use allow_list::is_loopback;
use request::Request;

/// Where programs inside find the proxy: the port on their loopback device …
pub const INNER_PORT: u16 = 3128;
/// … and the socket that the port leads to.
pub(crate) const INNER_SOCKET: &str = "/run/baton/proxy.sock";

/// Longer heads are not sent by package managers.
const MAX_HEAD: usize = 16 * 1024;
/// How long a client may take to send its request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(20);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// More at once than a package manager opens.
const MAX_CONNECTIONS: usize = 512;
/// More names of refused hosts than anyone reads.
const MAX_REFUSED: usize = 50;

/// Another proxy that has to be used to get out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upstream {
    pub host: String,
    pub port: u16,
    /// The value of `Proxy-Authorization`.
    pub authorization: Option<String>,
}

/// A proxy that runs until it is dropped.
#[derive(Debug)]
pub struct Proxy {
    socket: PathBuf,
    shared: Arc<Shared>,
    _stop: DropGuard,
}

#[derive(Debug)]
struct Shared {
    allowed: AllowList,
    upstream: Option<Upstream>,
    refused: Mutex<BTreeSet<String>>,
}

impl Proxy {
    /// Listens on a new socket. Must be called within a tokio runtime.
    pub fn start(
        socket: &Path,
        allowed: AllowList,
        upstream: Option<Upstream>,
    ) -> io::Result<Self> {
        // A socket of a process that was killed.
        match std::fs::remove_file(socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(socket)?;
        let shared = Arc::new(Shared {
            allowed,
            upstream,
            refused: Mutex::default(),
        });
        let stop = CancellationToken::new();
        tokio::spawn(serve(listener, Arc::clone(&shared), stop.clone()));
        Ok(Self {
            socket: socket.to_owned(),
            shared,
            _stop: stop.drop_guard(),
        })
    }

    pub fn socket(&self) -> &Path {
        &self.socket
    }

    pub fn allowed(&self) -> &AllowList {
        &self.shared.allowed
    }

    /// Takes the hosts, with ports, that were refused.
    pub fn take_refused(&self) -> BTreeSet<String> {
        std::mem::take(&mut *self.shared.refused())
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.socket);
    }
}

impl Shared {
    fn remember_refused(&self, target: &str) {
        let mut refused = self.refused();
        if refused.len() < MAX_REFUSED {
            refused.insert(target.to_owned());
        }
    }

    fn refused(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn serve(listener: UnixListener, shared: Arc<Shared>, stop: CancellationToken) {
    // Aborts what is open when it is dropped.
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            Some(_) = open.join_next() => {}
            accepted = listener.accept(), if open.len() < MAX_CONNECTIONS => {
                let Ok((stream, _)) = accepted else { continue };
                let shared = Arc::clone(&shared);
                open.spawn(async move {
                    if let Err(error) = answer(stream, &shared).await {
                        tracing::debug!(%error, "a connection through the proxy ended");
                    }
                });
            }
        }
    }
}

async fn answer(mut client: UnixStream, shared: &Shared) -> io::Result<()> {
    let head = match timeout(HEAD_TIMEOUT, read_head(&mut client)).await {
        Ok(head) => head?,
        Err(_) => return Ok(()),
    };
    let Some(request) = Request::parse(&head) else {
        return refuse(&mut client, "400 Bad Request", "This is an HTTP proxy.").await;
    };
    let Request { host, port, .. } = &request;
    if !shared.allowed.allows(host, *port) {
        let target = format!("{host}:{port}");
        shared.remember_refused(&target);
        let text = format!("{target} is not among the hosts that this program may reach.");
        return refuse(&mut client, "403 Forbidden", &text).await;
    }
    let connecting = connect(host, *port, request.is_tunnel, shared.upstream.as_ref());
    let mut server = match timeout(CONNECT_TIMEOUT, connecting).await {
        Ok(Ok(server)) => server,
        Ok(Err(error)) => {
            let text = format!("Cannot connect to {host}:{port}: {error}.");
            return refuse(&mut client, "502 Bad Gateway", &text).await;
        }
        Err(_) => {
            let text = format!("{host}:{port} does not answer.");
            return refuse(&mut client, "504 Gateway Timeout", &text).await;
        }
    };
    if request.is_tunnel {
        client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await?;
    } else {
        server
            .write_all(&request.forwarded(shared.upstream.as_ref()))
            .await?;
    }
    server.write_all(&head[request.head_len..]).await?;
    tokio::io::copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}

/// Reads up to the end of the head, and whatever came with it.
async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut buffer = [0; 4096];
    while !head.windows(4).any(|window| window == b"\r\n\r\n") && head.len() < MAX_HEAD {
        let len = stream.read(&mut buffer).await?;
        if len == 0 {
            break;
        }
        head.extend_from_slice(&buffer[..len]);
    }
    Ok(head)
}

async fn refuse(
    stream: &mut (impl AsyncWrite + Unpin),
    status: &str,
    text: &str,
) -> io::Result<()> {
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{text}\n",
        text.len() + 1
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await
}

async fn connect(
    host: &str,
    port: u16,
    is_tunnel: bool,
    upstream: Option<&Upstream>,
) -> io::Result<TcpStream> {
    let Some(upstream) = upstream.filter(|_| !is_loopback(host)) else {
        return TcpStream::connect((host, port)).await;
    };
    let mut stream = TcpStream::connect((upstream.host.as_str(), upstream.port)).await?;
    if is_tunnel {
        let login = upstream.authorization.as_ref();
        let login = login.map(|login| format!("Proxy-Authorization: {login}\r\n"));
        let head = format!(
            "CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n{}\r\n",
            login.unwrap_or_default()
        );
        stream.write_all(head.as_bytes()).await?;
        let answer = read_head(&mut stream).await?;
        let is_through = answer
            .split(|&byte| byte == b' ')
            .nth(1)
            .is_some_and(|code| code == b"200");
        if !is_through {
            return Err(io::Error::other("the proxy of this network refuses it"));
        }
    }
    Ok(stream)
}
