//! Records the exchanges between a client and a server.

use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::HeaderMap;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::oneshot;

/// What is kept of one body. More than that passes, but is not kept.
const KEPT: usize = 8 * 1024 * 1024;

/// A request and its answer, as they went by.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub method: String,
    /// Without host and query.
    pub path: String,
    pub query: Option<String>,
    pub request_headers: Vec<(String, String)>,
    pub request_body: Vec<u8>,
    pub status: u16,
    pub response_headers: Vec<(String, String)>,
    /// Decompressed.
    pub response_body: Vec<u8>,
    /// Both bodies went by to their ends and were small enough to be kept.
    pub complete: bool,
}

impl Exchange {
    pub fn request_header(&self, name: &str) -> Option<&str> {
        header(&self.request_headers, name)
    }

    pub fn response_header(&self, name: &str) -> Option<&str> {
        header(&self.response_headers, name)
    }
}

/// A proxy on loopback that passes everything to one server and keeps it.
///
/// A client reaches it as if it were the server, or as its HTTP proxy; the server
/// sees the request line as the client wrote it. It has a thread of its own, so that
/// it works for tests with a runtime and for those that wait for a program.
#[derive(Debug)]
pub struct Recorder {
    address: SocketAddr,
    record: Record,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Recorder {
    pub fn start(upstream: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
        listener
            .set_nonblocking(true)
            .expect("a new socket takes settings");
        let address = listener
            .local_addr()
            .expect("a bound socket has an address");
        let record = Record::default();
        let (stop, stopped) = oneshot::channel();
        let kept = record.clone();
        let thread = thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime can be made")
                .block_on(async {
                    let listener = tokio::net::TcpListener::from_std(listener)
                        .expect("the socket is non-blocking");
                    tokio::select! {
                        () = serve(listener, upstream, kept) => {}
                        _ = stopped => {}
                    }
                });
        });
        Self {
            address,
            record,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// `http://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All that was answered so far, in the order in which it was asked.
    pub fn exchanges(&self) -> Vec<Exchange> {
        let kept = self.record.lock();
        kept.iter().filter_map(Kept::exchange).collect()
    }

    /// Forgets what was kept.
    pub fn clear(&self) {
        // Those under way still write to their place, so the places stay.
        for kept in self.record.lock().iter_mut() {
            kept.status = None;
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // If it panicked, its message is out already.
            let _ = thread.join();
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Record(Arc<Mutex<Vec<Kept>>>);

/// An exchange that may be under way.
#[derive(Debug)]
struct Kept {
    method: String,
    path: String,
    query: Option<String>,
    request: Part,
    /// `None` until it is answered.
    status: Option<u16>,
    response: Part,
}

#[derive(Debug, Default)]
struct Part {
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    cut: bool,
    ended: bool,
}

#[derive(Clone, Copy, Debug)]
enum Side {
    Request,
    Response,
}

impl Record {
    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a new exchange.
    fn begin(&self, request: &Request<Incoming>) -> usize {
        let mut kept = self.lock();
        kept.push(Kept {
            method: request.method().to_string(),
            path: request.uri().path().to_owned(),
            query: request.uri().query().map(ToOwned::to_owned),
            request: Part {
                headers: texts(request.headers()),
                ..Part::default()
            },
            status: None,
            response: Part::default(),
        });
        kept.len() - 1
    }

    fn answered(&self, index: usize, response: &Response<Incoming>) {
        let kept = &mut self.lock()[index];
        kept.status = Some(response.status().as_u16());
        kept.response.headers = texts(response.headers());
    }

    fn part(&self, index: usize, side: Side, change: impl FnOnce(&mut Part)) {
        let kept = &mut self.lock()[index];
        change(match side {
            Side::Request => &mut kept.request,
            Side::Response => &mut kept.response,
        });
    }
}

impl Kept {
    fn exchange(&self) -> Option<Exchange> {
        let whole = |part: &Part| part.ended && !part.cut;
        let (request_body, request_sound) = self.request.decompressed();
        let (response_body, response_sound) = self.response.decompressed();
        Some(Exchange {
            method: self.method.clone(),
            path: self.path.clone(),
            query: self.query.clone(),
            request_headers: self.request.headers.clone(),
            request_body,
            status: self.status?,
            response_headers: self.response.headers.clone(),
            response_body,
            complete: whole(&self.request)
                && whole(&self.response)
                && request_sound
                && response_sound,
        })
    }
}

impl Part {
    /// The body, and whether all of it could be read.
    fn decompressed(&self) -> (Vec<u8>, bool) {
        if header(&self.headers, "content-encoding") != Some("gzip") {
            return (self.body.clone(), true);
        }
        let mut body = Vec::new();
        let limit = u64::try_from(KEPT).unwrap_or(u64::MAX);
        let read = MultiGzDecoder::new(self.body.as_slice())
            .take(limit)
            .read_to_end(&mut body);
        let sound = read.is_ok() && body.len() < KEPT;
        (body, sound)
    }
}

async fn serve(listener: tokio::net::TcpListener, upstream: SocketAddr, record: Record) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let record = record.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| forward(request, upstream, record.clone()));
            // A client that goes away, or a server that does, ends the connection: so it is
            // for the peer.
            let _ = hyper::server::conn::http1::Builder::new()
                .preserve_header_case(true)
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

type AnyBody = BoxBody<Bytes, hyper::Error>;

async fn forward(
    request: Request<Incoming>,
    upstream: SocketAddr,
    record: Record,
) -> Result<Response<AnyBody>, Box<dyn std::error::Error + Send + Sync>> {
    if request.method() == Method::CONNECT {
        let nothing = Empty::new().map_err(|never| match never {}).boxed();
        let mut refusal = Response::new(nothing);
        *refusal.status_mut() = StatusCode::NOT_IMPLEMENTED;
        return Ok(refusal);
    }
    let index = record.begin(&request);
    let stream = TcpStream::connect(upstream).await?;
    let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
        .preserve_header_case(true)
        .handshake(TokioIo::new(stream))
        .await?;
    tokio::spawn(connection);
    let request = request.map(|body| Tee::new(body, record.clone(), index, Side::Request));
    let response = sender.send_request(request).await?;
    record.answered(index, &response);
    Ok(response.map(|body| Tee::new(body, record, index, Side::Response).boxed()))
}

/// A body that is noted while it passes. Its end is noted before the other side can
/// see it, so that a client that has an answer finds it in the record.
struct Tee {
    inner: Incoming,
    record: Record,
    index: usize,
    side: Side,
}

impl Tee {
    fn new(inner: Incoming, record: Record, index: usize, side: Side) -> Self {
        let tee = Self {
            inner,
            record,
            index,
            side,
        };
        tee.note_end();
        tee
    }

    fn note_end(&self) {
        if self.inner.is_end_stream() {
            self.ended();
        }
    }

    fn ended(&self) {
        self.record
            .part(self.index, self.side, |part| part.ended = true);
    }

    fn note(&self, data: &[u8]) {
        self.record.part(self.index, self.side, |part| {
            let room = KEPT.saturating_sub(part.body.len());
            let kept = data.get(..room).unwrap_or(data);
            part.body.extend_from_slice(kept);
            part.cut |= kept.len() < data.len();
        });
    }
}

impl Body for Tee {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.inner).poll_frame(context));
        match &frame {
            None => self.ended(),
            Some(Ok(frame)) => {
                if let Some(data) = frame.data_ref() {
                    self.note(data);
                }
                self.note_end();
            }
            Some(Err(_)) => {}
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    headers
        .iter()
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.to_string(), value)
        })
        .collect()
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers
        .iter()
        .find(|(key, _)| key.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
}
