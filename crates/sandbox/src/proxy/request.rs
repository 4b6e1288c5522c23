//! A request to a proxy, and what is passed on of it.

use super::Upstream;
use super::allow_list::{is_loopback, plain, split_port};

/// More headers than a package manager sends.
const MAX_HEADERS: usize = 100;

/// What a client asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) is_tunnel: bool,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) head_len: usize,
    /// Of a plain request: the line as the server is to see it, the address as
    /// another proxy is to see it, and the headers that are passed on.
    method: String,
    path: String,
    headers: Vec<u8>,
}

impl Request {
    pub(super) fn parse(head: &[u8]) -> Option<Self> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let httparse::Status::Complete(head_len) = request.parse(head).ok()? else {
            return None;
        };
        let (method, target) = (request.method?, request.path?);
        if method == "CONNECT" {
            let (host, port) = split_port(target)?;
            return Some(Self {
                is_tunnel: true,
                host: plain(host),
                port,
                head_len,
                method: method.to_owned(),
                path: String::new(),
                headers: Vec::new(),
            });
        }
        let rest = target.strip_prefix("http://")?;
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        // Logins belong in the headers.
        let authority = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        let (host, port) = split_port(authority).unwrap_or((authority, 80));
        let mut kept = Vec::new();
        for header in request.headers.iter() {
            let is_ours = ["connection", "proxy-connection", "proxy-authorization"]
                .iter()
                .any(|name| header.name.eq_ignore_ascii_case(name));
            if !is_ours {
                kept.extend_from_slice(header.name.as_bytes());
                kept.extend_from_slice(b": ");
                kept.extend_from_slice(header.value);
                kept.extend_from_slice(b"\r\n");
            }
        }
        Some(Self {
            is_tunnel: false,
            host: plain(host),
            port,
            head_len,
            method: method.to_owned(),
            path: if path.starts_with('/') {
                path.to_owned()
            } else {
                format!("/{path}")
            },
            headers: kept,
        })
    }

    /// The head for the server. One request a connection: the next may be for
    /// another host.
    pub(super) fn forwarded(&self, upstream: Option<&Upstream>) -> Vec<u8> {
        let Self {
            method,
            host,
            port,
            path,
            ..
        } = self;
        let upstream = upstream.filter(|_| !is_loopback(host));
        let mut head = match upstream {
            Some(_) => format!("{method} http://{host}:{port}{path} HTTP/1.1\r\n"),
            None => format!("{method} {path} HTTP/1.1\r\n"),
        }
        .into_bytes();
        head.extend_from_slice(&self.headers);
        if let Some(login) = upstream.and_then(|upstream| upstream.authorization.as_ref()) {
            head.extend_from_slice(format!("Proxy-Authorization: {login}\r\n").as_bytes());
        }
        head.extend_from_slice(b"Connection: close\r\n\r\n");
        head
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_request_is_passed_on_without_what_is_for_the_proxy() {
        let head = b"GET http://u:p@example.com:8080?q HTTP/1.1\r\nHost: example.com:8080\r\n\
            Proxy-Authorization: x\r\nConnection: keep-alive\r\n\r\nbody";
        let request = Request::parse(head).unwrap();
        assert_eq!((request.host.as_str(), request.port), ("example.com", 8080));
        assert_eq!(&head[request.head_len..], b"body");
        let forwarded = String::from_utf8(request.forwarded(None)).unwrap();
        assert_eq!(
            forwarded,
            "GET /?q HTTP/1.1\r\nHost: example.com:8080\r\nConnection: close\r\n\r\n"
        );
    }

    #[test]
    fn what_is_no_request_to_a_proxy_is_none() {
        for head in [
            &b"GET / HTTP/1.1\r\n\r\n"[..],
            b"CONNECT example.com HTTP/1.1\r\n\r\n",
            b"CONNECT :443 HTTP/1.1\r\n\r\n",
            b"GET ftp://x/ HTTP/1.1\r\n\r\n",
            b"\x16\x03\x01",
            b"",
        ] {
            assert_eq!(Request::parse(head), None);
        }
    }
}
