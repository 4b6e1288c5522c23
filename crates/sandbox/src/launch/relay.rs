//! The way from a network namespace to the proxy outside: ports of the inner
//! loopback device whose connections are passed on to the proxy's socket.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;

use super::{Doing as _, SetupError};
use crate::policy::Network;
use crate::proxy::{INNER_PORT, INNER_SOCKET};

/// An answer of the proxy to `CONNECT` has no body and few headers.
const MAX_ANSWER: usize = 4096;

/// Starts to listen, if there is anywhere to pass connections on to. The
/// threads are started before this process gives up its rights and keep them;
/// all that they do is copy bytes.
pub(super) fn start(network: &Network) -> Result<(), SetupError> {
    let Network::Proxy { ports, .. } = network else {
        return Ok(());
    };
    listen(INNER_PORT, None)?;
    for &port in ports.iter().filter(|&&port| port != INNER_PORT) {
        listen(port, Some(port))?;
    }
    Ok(())
}

fn listen(port: u16, target: Option<u16>) -> Result<(), SetupError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .doing(format_args!("listen on port {port}"))?;
    let socket = PathBuf::from(INNER_SOCKET);
    let serve = move || {
        for stream in listener.incoming().flatten() {
            let socket = socket.clone();
            // A connection that cannot be served is closed.
            let _ = thread::Builder::new().spawn(move || pass_on(stream, &socket, target));
        }
    };
    thread::Builder::new()
        .spawn(serve)
        .map(drop)
        .doing("start a thread")
}

fn pass_on(inner: TcpStream, socket: &Path, target: Option<u16>) -> io::Result<()> {
    let mut outer = UnixStream::connect(socket)?;
    if let Some(port) = target {
        write!(outer, "CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n")?;
        expect_success(&mut outer)?;
    }
    let (mut from_inner, mut to_outer) = (inner.try_clone()?, outer.try_clone()?);
    let up = thread::Builder::new().spawn(move || {
        let _ = io::copy(&mut from_inner, &mut to_outer);
        let _ = to_outer.shutdown(Shutdown::Write);
    })?;
    let mut to_inner = inner;
    let _ = io::copy(&mut outer, &mut to_inner);
    let _ = to_inner.shutdown(Shutdown::Write);
    let _ = up.join();
    Ok(())
}

/// Reads byte by byte: what follows the head belongs to the program.
fn expect_success(outer: &mut UnixStream) -> io::Result<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() == MAX_ANSWER {
            return Err(io::ErrorKind::InvalidData.into());
        }
        outer.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    if head.starts_with(b"HTTP/1.1 200") {
        Ok(())
    } else {
        Err(io::ErrorKind::ConnectionRefused.into())
    }
}
