//! A server that responds with raw bytes, so that it can misbehave in every way.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

/// A request as it came in.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) target: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Which connection it came on, from 0.
    pub(crate) connection: usize,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let (_, value) = headers.find(|(known, _)| known == name)?;
        Some(value)
    }
}

/// What the server does with a request.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// Answers, and waits for the next request.
    Reply(Reply),
    /// Sends the bytes and closes the connection.
    Close(Vec<u8>),
    /// Sends the bytes and breaks the connection off.
    Reset(Vec<u8>),
    /// Sends the bytes and then nothing more, for as long as the client waits.
    Stall(Vec<u8>),
    /// Sends byte by byte, with a pause before each.
    Drip(Vec<u8>),
}

/// An answer of the usual form.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    status: u16,
    headers: String,
    body: Vec<u8>,
}

pub(crate) fn reply(status: u16) -> Reply {
    Reply {
        status,
        headers: String::new(),
        body: Vec::new(),
    }
}

pub(crate) fn json(body: &str) -> Reply {
    reply(200).json(body)
}

impl Reply {
    pub(crate) fn header(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        write!(self.headers, "{name}: {value}\r\n").unwrap();
        self
    }

    pub(crate) fn json(self, body: &str) -> Self {
        self.header("content-type", "application/json").body(body)
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn gzip(mut self) -> Self {
        self.body = gzip(&self.body);
        self.header("content-encoding", "gzip")
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let Self {
            status,
            headers,
            body,
        } = self;
        let length = body.len();
        let mut bytes = format!("HTTP/1.1 {status} S\r\n{headers}").into_bytes();
        // A response to a conditional request has no body, and no header about
        // one.
        if *status != 304 {
            bytes.extend(format!("content-length: {length}\r\n").bytes());
        }
        bytes.extend(b"\r\n");
        bytes.extend(body);
        bytes
    }

    /// The whole head and the first `length` bytes of the body.
    pub(crate) fn cut_after(&self, length: usize) -> Vec<u8> {
        let mut bytes = self.bytes();
        bytes.truncate(bytes.len() - self.body.len() + length);
        bytes
    }
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        Self::Reply(reply)
    }
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Answers by the request and by how many came before it.
type Script = dyn Fn(&Seen, usize) -> Answer + Send + Sync;

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    log: Arc<Log>,
    accepting: JoinHandle<()>,
}

struct Log {
    requests: Mutex<Vec<Seen>>,
    /// How many connections the client has left.
    left: watch::Sender<usize>,
    script: Box<Script>,
}

impl Server {
    pub(crate) async fn start<A: Into<Answer>>(
        script: impl Fn(&Seen, usize) -> A + Send + Sync + 'static,
    ) -> Self {
        Self::listen(script, None).await
    }

    pub(crate) async fn start_tls<A: Into<Answer>>(
        config: ServerConfig,
        script: impl Fn(&Seen, usize) -> A + Send + Sync + 'static,
    ) -> Self {
        Self::listen(script, Some(Arc::new(config).into())).await
    }

    async fn listen<A: Into<Answer>>(
        script: impl Fn(&Seen, usize) -> A + Send + Sync + 'static,
        tls: Option<TlsAcceptor>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let log = Arc::new(Log {
            requests: Mutex::default(),
            left: watch::Sender::new(0),
            script: Box::new(move |seen, before| script(seen, before).into()),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&log), tls));
        Self {
            address,
            log,
            accepting,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Seen> {
        self.log.requests.lock().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.log.requests.lock().unwrap().len()
    }

    /// Waits until the client has left a connection.
    pub(crate) async fn left(&self) {
        let mut left = self.log.left.subscribe();
        left.wait_for(|&count| count > 0).await.unwrap();
    }

    /// Waits until there was a request.
    pub(crate) async fn asked(&self) {
        while self.count() == 0 {
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, log: Arc<Log>, tls: Option<TlsAcceptor>) {
    let mut connections = JoinSet::new();
    for connection in 0.. {
        let Ok((stream, _)) = listener.accept().await else {
            return;
        };
        let log = Arc::clone(&log);
        match tls.clone() {
            None => connections.spawn(async move {
                // A broken connection is the client's business here.
                let _ = serve(stream, connection, &log).await;
                log.left.send_modify(|count| *count += 1);
            }),
            Some(tls) => connections.spawn(async move {
                if let Ok(stream) = tls.accept(stream).await {
                    let _ = serve(stream, connection, &log).await;
                }
                log.left.send_modify(|count| *count += 1);
            }),
        };
    }
}

/// What a connection can do at its end.
trait Breakable {
    fn break_off(&self) {}
}

impl Breakable for TcpStream {
    fn break_off(&self) {
        self.set_zero_linger().unwrap();
    }
}

impl<S> Breakable for tokio_rustls::server::TlsStream<S> {}

async fn serve<S: AsyncRead + AsyncWrite + Breakable + Unpin>(
    stream: S,
    connection: usize,
    log: &Log,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(seen) = read(&mut stream, connection).await? {
        let before = {
            let mut requests = log.requests.lock().unwrap();
            requests.push(seen.clone());
            requests.len() - 1
        };
        match (log.script)(&seen, before) {
            Answer::Reply(reply) => stream.write_all(&reply.bytes()).await?,
            Answer::Close(bytes) => {
                stream.write_all(&bytes).await?;
                return stream.shutdown().await;
            }
            Answer::Reset(bytes) => {
                stream.write_all(&bytes).await?;
                stream.flush().await?;
                // What was sent before must arrive before the reset does.
                tokio::time::sleep(Duration::from_millis(5)).await;
                stream.get_ref().break_off();
                return Ok(());
            }
            Answer::Drip(bytes) => {
                for byte in bytes {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    stream.write_all(&[byte]).await?;
                    stream.flush().await?;
                }
            }
            Answer::Stall(bytes) => {
                stream.write_all(&bytes).await?;
                stream.flush().await?;
                // Ends when the client goes.
                stream.read_to_end(&mut Vec::new()).await?;
                return Ok(());
            }
        }
        stream.flush().await?;
    }
    Ok(())
}

/// The next request, or nothing if the client has gone.
async fn read<S: AsyncRead + Unpin>(
    stream: &mut BufReader<S>,
    connection: usize,
) -> std::io::Result<Option<Seen>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(ToOwned::to_owned);
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let mut seen = Seen {
        method,
        target,
        headers,
        body: Vec::new(),
        connection,
    };
    if let Some(length) = seen.header("content-length") {
        seen.body = vec![0; length.parse().unwrap()];
        stream.read_exact(&mut seen.body).await?;
    }
    Ok(Some(seen))
}
