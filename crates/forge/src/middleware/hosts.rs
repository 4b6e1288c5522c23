//! Which names the forge is asked by.
//!
//! A page of any site in a browser on this machine can ask a server on it, and
//! with a name of its own that resolves to it (DNS rebinding) even read the
//! answers. So a request has to name the forge by a name that is the forge's.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::StatusCode;
use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::http::uri::{Authority, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::wire::Peer;
use crate::settings::Settings;

/// The last two are what `gh` asks for, with the forge as its proxy: no name
/// below `localhost` can be given another meaning by a site.
const OWN: [&str; 5] = [
    "localhost",
    "127.0.0.1",
    "::1",
    "github.localhost",
    "api.github.localhost",
];

const REFUSAL: &str =
    "This forge is not known by that name. Start it with `baton forge serve --host NAME`.\n";

/// In small letters, without ports and brackets.
pub(crate) struct Hosts(Vec<String>);

impl Hosts {
    pub(crate) fn new(settings: &Settings) -> Self {
        let public: Option<Uri> = settings
            .public_url
            .as_ref()
            .and_then(|url| url.parse().ok());
        let public = public.as_ref().and_then(Uri::host);
        let named = settings.hosts.iter().map(String::as_str);
        let all = OWN.into_iter().chain(public).chain(named);
        Self(all.map(bare).collect())
    }

    /// Every name in the request must be the forge's: the one in its address,
    /// which a client with a proxy sends, counts as much as the header.
    fn allow(&self, parts: &Parts, local: Option<IpAddr>) -> bool {
        let header = parts.headers.get_all(HOST).iter();
        let mut names: Vec<Option<Authority>> = header
            .map(|name| Authority::try_from(name.as_bytes()).ok())
            .collect();
        names.extend(parts.uri.authority().cloned().map(Some));
        let is_ours =
            |name: &Option<Authority>| name.as_ref().is_some_and(|name| self.is_ours(name, local));
        !names.is_empty() && names.iter().all(is_ours)
    }

    fn is_ours(&self, name: &Authority, local: Option<IpAddr>) -> bool {
        let host = bare(name.host());
        let is_local = || local.is_some_and(|local| host.parse() == Ok(local.to_canonical()));
        // A user name before the host is never meant for the forge.
        !name.as_str().contains('@') && (self.0.contains(&host) || is_local())
    }
}

pub(crate) async fn check(
    State(hosts): State<Arc<Hosts>>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    if hosts.allow(&parts, peer.local) {
        return next.run(Request::from_parts(parts, body)).await;
    }
    tracing::warn!(host = ?parts.headers.get(HOST), "refused a request for another host");
    (StatusCode::MISDIRECTED_REQUEST, REFUSAL).into_response()
}

fn bare(host: &str) -> String {
    host.trim_start_matches('[')
        .trim_end_matches(']')
        .to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use baton_host::cmd::Environment;

    use super::*;

    fn allows(uri: &str, names: &[&str]) -> bool {
        let mut settings = Settings::new("data", Environment::default());
        settings.public_url = Some("https://forge.example:8443/x".to_owned());
        settings.hosts = vec!["Other.Example".to_owned(), "[fd00::1]".to_owned()];
        let mut request = Request::builder().uri(uri);
        for name in names {
            request = request.header(HOST, *name);
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        Hosts::new(&settings).allow(&parts, Some(IpAddr::from([192, 0, 2, 7])))
    }

    #[test]
    fn only_its_own_names_are_the_forge_s() {
        for name in [
            "localhost",
            "LOCALHOST:8417",
            "127.0.0.1:1",
            "[::1]:8417",
            "github.localhost",
            "api.github.localhost",
            "forge.example",
            "other.example:80",
            "192.0.2.7:8417",
            "[fd00::1]:80",
        ] {
            assert!(allows("/", &[name]), "{name}");
        }
        for name in [
            "evil.example",
            "localhost.evil.example",
            "evil.localhost",
            "evil@localhost",
            "192.0.2.8",
            "",
            "a b",
        ] {
            assert!(!allows("/", &[name]), "{name}");
        }
        assert!(!allows("/", &[]));
    }

    #[test]
    fn every_name_in_a_request_counts() {
        assert!(allows("http://api.github.localhost/user", &["localhost"]));
        assert!(!allows("http://evil.example/user", &["localhost"]));
        assert!(!allows("http://localhost/user", &["evil.example"]));
        assert!(!allows("/", &["localhost", "evil.example"]));
    }
}
