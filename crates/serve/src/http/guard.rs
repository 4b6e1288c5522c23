//! Checks who may send requests.
//!
//! A page in a browser can send requests to this machine and, by a name of its
//! own that resolves to it (DNS rebinding), even read the responses. So the name
//! in `Host` and the page's `Origin` must be ours, and every request needs the
//! token.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::Settings;
use super::token::Token;

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

pub(super) struct Guard {
    token: Token,
    /// In small letters, without ports and brackets.
    hosts: Vec<String>,
}

impl Guard {
    pub(super) fn new(settings: Settings, address: SocketAddr) -> Self {
        let mut hosts: Vec<String> = LOOPBACK.map(str::to_owned).into();
        if !address.ip().is_unspecified() {
            hosts.push(address.ip().to_string());
        }
        hosts.extend(settings.hosts.iter().map(|host| bare(host)));
        Self {
            token: settings.token,
            hosts,
        }
    }

    fn judge(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = match headers.get(HOST) {
            Some(host) => host.to_str().ok(),
            None => uri.authority().map(Authority::as_str),
        };
        if !host.is_some_and(|host| self.is_ours(host)) {
            return Err(Refusal::Host);
        }
        if let Some(origin) = headers.get(ORIGIN) {
            let authority = origin.to_str().ok().and_then(|origin| {
                origin
                    .strip_prefix("http://")
                    .or_else(|| origin.strip_prefix("https://"))
            });
            if !authority.is_some_and(|authority| self.is_ours(authority)) {
                return Err(Refusal::Origin);
            }
        }
        let shown = headers.get(AUTHORIZATION).map(HeaderValue::to_str);
        match shown {
            Some(Ok(shown)) if self.has_token(shown) => Ok(()),
            _ => Err(Refusal::Token),
        }
    }

    fn is_ours(&self, authority: &str) -> bool {
        let Ok(authority) = authority.parse::<Authority>() else {
            return false;
        };
        // A user name before the host is never valid for us.
        !authority.as_str().contains('@') && self.hosts.contains(&bare(authority.host()))
    }

    fn has_token(&self, shown: &str) -> bool {
        let Some((scheme, token)) = shown.split_once(' ') else {
            return false;
        };
        scheme.eq_ignore_ascii_case("bearer") && self.token.is(token.trim())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    Host,
    Origin,
    Token,
}

pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let refusal = match guard.judge(request.uri(), request.headers()) {
        Ok(()) => return next.run(request).await,
        Err(refusal) => refusal,
    };
    tracing::warn!(?refusal, "refused a request");
    match refusal {
        Refusal::Host => (
            StatusCode::FORBIDDEN,
            "This server is not known by that name; start it with --allow-host NAME.\n",
        )
            .into_response(),
        Refusal::Origin => (
            StatusCode::FORBIDDEN,
            "Pages of other origins may not ask this server.\n",
        )
            .into_response(),
        Refusal::Token => (
            StatusCode::UNAUTHORIZED,
            [(WWW_AUTHENTICATE, "Bearer")],
            "Show the server's token: `Authorization: Bearer TOKEN`.\n",
        )
            .into_response(),
    }
}

fn bare(host: &str) -> String {
    host.trim_start_matches('[')
        .trim_end_matches(']')
        .to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn judge(headers: &[(&'static str, &str)]) -> Option<Refusal> {
        let settings = Settings {
            token: Token::new(TOKEN).unwrap(),
            hosts: vec!["Baton.Example".to_owned()],
        };
        let guard = Guard::new(settings, "127.0.0.1:80".parse().unwrap());
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        guard.judge(&"/mcp".parse().unwrap(), &headers).err()
    }

    #[test]
    fn host_origin_and_token_must_all_be_right() {
        let bearer = format!("Bearer {TOKEN}");
        let with = |host, origin: Option<&str>, token: Option<&str>| {
            let mut headers = vec![("host", host)];
            headers.extend(origin.map(|origin| ("origin", origin)));
            headers.extend(token.map(|token| ("authorization", token)));
            judge(&headers)
        };
        let token = Some(bearer.as_str());
        for host in ["localhost:8080", "127.0.0.1", "[::1]:8080", "baton.example"] {
            assert_eq!(with(host, None, token), None, "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "evil@localhost",
            "",
            "a b",
        ] {
            assert_eq!(with(host, None, token), Some(Refusal::Host), "{host}");
        }
        for origin in ["http://localhost:3000", "https://baton.example"] {
            assert_eq!(with("localhost", Some(origin), token), None, "{origin}");
        }
        for origin in [
            "null",
            "http://evil.example",
            "file://",
            "http://localhost@evil",
        ] {
            let refusal = with("localhost", Some(origin), token);
            assert_eq!(refusal, Some(Refusal::Origin), "{origin}");
        }
        for token in [
            None,
            Some("Bearer"),
            Some("Bearer 0123456789abcdeF"),
            Some(TOKEN),
        ] {
            let refusal = with("localhost", None, token);
            assert_eq!(refusal, Some(Refusal::Token), "{token:?}");
        }
        assert_eq!(judge(&[("authorization", &bearer)]), Some(Refusal::Host));
        let small = format!("bearer {TOKEN}");
        assert_eq!(with("localhost", None, Some(&small)), None);
    }
}
