//! One request to a receiver, over plain HTTP.

use std::time::Duration;

use axum::body::Bytes;
use axum::http::header::{CONNECTION, HOST};
use axum::http::{Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

/// A receiver that takes longer has failed, as at GitHub.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// More of an answer is not kept.
const LONGEST_ANSWER: usize = 64 << 10;

pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: Map<String, Value>,
    pub(super) body: String,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum ClientError {
    #[error("not an address that can be delivered to")]
    BadAddress,
    #[error("failed to connect to host")]
    Connect(#[source] std::io::Error),
    #[error("the receiver did not speak HTTP")]
    Protocol(#[source] hyper::Error),
    #[error("timed out")]
    TimedOut,
}

/// Whether a URL can be delivered to: with `http`, a host, and no credentials,
/// which would be shown to whoever may see the hook.
pub(crate) fn is_address(url: &str) -> bool {
    target(url).is_some()
}

pub(super) async fn post(
    url: &str,
    headers: &[(&'static str, String)],
    body: String,
) -> Result<Answer, ClientError> {
    let (uri, host, port) = target(url).ok_or(ClientError::BadAddress)?;
    let exchange = exchange(&uri, &host, port, headers, body);
    timeout(TIME_LIMIT, exchange)
        .await
        .unwrap_or(Err(ClientError::TimedOut))
}

async fn exchange(
    uri: &Uri,
    host: &str,
    port: u16,
    headers: &[(&'static str, String)],
    body: String,
) -> Result<Answer, ClientError> {
    let address = (host.trim_matches(['[', ']']), port);
    let stream = TcpStream::connect(address)
        .await
        .map_err(ClientError::Connect)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(ClientError::Protocol)?;
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(path)
        .header(HOST, uri.authority().map_or(host, |host| host.as_str()))
        .header(CONNECTION, "close");
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let request = request
        .body(Full::new(Bytes::from(body)))
        .map_err(|_| ClientError::BadAddress)?;
    // The connection does the sending and receiving, until the answer is here.
    let _driver = AbortOnDropHandle::new(tokio::spawn(connection));
    let response = sender.send_request(request).await;
    let (parts, body) = response.map_err(ClientError::Protocol)?.into_parts();
    // An answer that is too long or breaks off is not kept; the status counts.
    let body = Limited::new(body, LONGEST_ANSWER).collect().await;
    let body = body.map(|body| body.to_bytes()).unwrap_or_default();
    let headers = parts.headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        (name.to_string(), json!(value))
    });
    Ok(Answer {
        status: parts.status,
        headers: headers.collect(),
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}

fn target(url: &str) -> Option<(Uri, String, u16)> {
    let uri: Uri = url.parse().ok()?;
    let authority = uri.authority()?;
    if uri.scheme_str() != Some("http") || authority.as_str().contains('@') {
        return None;
    }
    let host = authority.host().to_owned();
    let port = authority.port_u16().unwrap_or(80);
    (!host.is_empty()).then_some((uri, host, port))
}

#[cfg(test)]
mod tests {
    use super::is_address;

    #[test]
    fn only_plain_http_without_credentials() {
        for url in [
            "http://127.0.0.1:8080/hook",
            "http://ci.example",
            "http://[::1]:9/x?y=z",
        ] {
            assert!(is_address(url), "{url}");
        }
        for url in [
            "https://ci.example",
            "ftp://ci.example",
            "http://octo:secret@ci.example",
            "/hook",
            "http://",
            "not a url",
            "",
        ] {
            assert!(!is_address(url), "{url}");
        }
    }
}
