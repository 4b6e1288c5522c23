//! Maps the errors of the lower layers to failures of a call.

use std::error::Error;
use std::io;

use reqwest::Url;

use super::connecting::Proxies;
use super::display;
use super::failure::{Cause, Failure, Phase};
use super::settings::Limits;

/// For a request without a response.
pub(super) fn unanswered(
    error: &reqwest::Error,
    url: &Url,
    limits: &Limits,
    proxies: &Proxies,
) -> Failure {
    let cause = Cause::from_error(error);
    if error.is_builder() {
        return Failure::Unsendable { reason: cause.0 };
    }
    if !error.is_connect() {
        return match find::<hyper::Error>(error) {
            Some(http) if http.is_parse() => Failure::Protocol(cause),
            _ => Failure::Reset(cause),
        };
    }
    if error.is_timeout() {
        return Failure::Timeout {
            phase: Phase::Connect,
            limit: limits.connect,
        };
    }
    let server = display::server(url);
    if find::<rustls::Error>(error).is_some() {
        return Failure::Tls { server, cause };
    }
    match proxies.before(url) {
        None => Failure::Connect { server, cause },
        Some(proxy) if find::<io::Error>(error).is_some() => Failure::Connect {
            server: format!("the proxy {proxy}"),
            cause,
        },
        Some(proxy) => Failure::Proxy { proxy, cause },
    }
}

/// The first error of a type among `error` and its sources. Some layers hide
/// theirs inside an [`io::Error`].
fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        let inner = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        if let Some(inner) = inner
            && let Some(found) = find::<E>(inner)
        {
            return Some(found);
        }
        next = error.source();
    }
    None
}
