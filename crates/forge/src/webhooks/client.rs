//! One request to a receiver, over plain HTTP. Redirects are not followed.

use std::time::Duration;

use axum::body::Bytes;
use axum::http::header::{CONNECTION, HOST};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::target::Target;

/// A receiver that takes longer has failed, as at GitHub.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// More of an answer is not kept: it says how the receiver fared, no more.
const MAX_BODY_LEN: usize = 16 << 10;

/// More headers of an answer are not read.
const MAX_HEAD_LEN: usize = 16 << 10;

pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: Map<String, Value>,
    pub(super) body: String,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum ClientError {
    #[error("not an address that can be delivered to")]
    BadAddress,
    #[error(
        "the receiver is on this machine or in a private network; the forge delivers there only when it is started with --allow-private-webhooks"
    )]
    Private,
    #[error("failed to connect to host")]
    Connect(#[source] std::io::Error),
    #[error("the receiver did not speak HTTP")]
    Protocol(#[source] hyper::Error),
    #[error("timed out")]
    TimedOut,
}

impl ClientError {
    /// Whether another try can have another end.
    pub(super) fn is_worth_repeating(&self) -> bool {
        match self {
            Self::BadAddress | Self::Private => false,
            Self::Connect(_) | Self::Protocol(_) | Self::TimedOut => true,
        }
    }
}

pub(super) async fn post(
    url: &str,
    allow_private: bool,
    headers: &[(&'static str, String)],
    body: String,
) -> Result<Answer, ClientError> {
    let target = Target::parse(url).ok_or(ClientError::BadAddress)?;
    let exchange = async {
        let stream = connect(&target, allow_private).await?;
        exchange(stream, &target, headers, body).await
    };
    timeout(TIME_LIMIT, exchange)
        .await
        .unwrap_or(Err(ClientError::TimedOut))
}

async fn connect(target: &Target, allow_private: bool) -> Result<TcpStream, ClientError> {
    let addresses = target.addresses(allow_private).await;
    let addresses = addresses.map_err(ClientError::Connect)?;
    if addresses.is_empty() {
        return Err(ClientError::Private);
    }
    TcpStream::connect(&addresses[..])
        .await
        .map_err(ClientError::Connect)
}

async fn exchange(
    stream: TcpStream,
    target: &Target,
    headers: &[(&'static str, String)],
    body: String,
) -> Result<Answer, ClientError> {
    let (mut sender, conn) = http1::Builder::new()
        .max_buf_size(MAX_HEAD_LEN)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(ClientError::Protocol)?;
    let path = target.uri.path_and_query();
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(path.map_or("/", |path| path.as_str()))
        .header(HOST, target.authority.as_str())
        .header(CONNECTION, "close");
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let request = request
        .body(Full::new(Bytes::from(body)))
        .map_err(|_| ClientError::BadAddress)?;
    // The connection does the sending and receiving, until the answer is here.
    let _driver = AbortOnDropHandle::new(tokio::spawn(conn));
    let response = sender.send_request(request).await;
    let (parts, body) = response.map_err(ClientError::Protocol)?.into_parts();
    Ok(Answer {
        status: parts.status,
        headers: as_json(&parts.headers),
        body: beginning(body).await,
    })
}

fn as_json(headers: &HeaderMap) -> Map<String, Value> {
    let pair = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        (name.to_string(), json!(value))
    };
    headers.iter().map(pair).collect()
}

/// As much as came before it broke off.
async fn beginning(mut body: Incoming) -> String {
    let mut bytes = Vec::new();
    while let Some(Ok(frame)) = body.frame().await {
        if let Ok(data) = frame.into_data() {
            let room = MAX_BODY_LEN - bytes.len();
            bytes.extend_from_slice(&data[..data.len().min(room)]);
        }
        if bytes.len() == MAX_BODY_LEN {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
