//! Proxies and certificates, as the usual environment variables give them.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::PathBuf;

use baton_host::cmd::Environment;
use baton_remote::http::{ProxySettings, Trust};

use crate::environment::{self, ALL_PROXY, HTTP_PROXY, HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE};

/// The certificates of all authorities that a browser knows take a quarter of
/// a megabyte.
const MAX_BUNDLE_BYTES: u64 = 8 << 20;

#[derive(Debug, thiserror::Error)]
#[error("cannot read {}, which SSL_CERT_FILE names", path.display())]
pub(crate) struct UnreadableCertificates {
    path: PathBuf,
    source: io::Error,
}

pub(crate) fn proxy(environment: &Environment) -> ProxySettings {
    let first = |names: [&str; 2]| {
        let value = names
            .iter()
            .find_map(|name| environment::text(environment, name));
        value.map(str::to_owned)
    };
    ProxySettings {
        http: first(HTTP_PROXY).or_else(|| first(ALL_PROXY)),
        https: first(HTTPS_PROXY).or_else(|| first(ALL_PROXY)),
        no_proxy: first(NO_PROXY),
    }
}

pub(crate) fn trust(environment: &Environment) -> Result<Trust, UnreadableCertificates> {
    let Some(path) = environment::get(environment, SSL_CERT_FILE) else {
        return Ok(Trust::System);
    };
    let mut pem = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_BUNDLE_BYTES).read_to_end(&mut pem))
        .map_err(|source| UnreadableCertificates {
            path: PathBuf::from(path),
            source,
        })?;
    Ok(Trust::Only(pem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_names_come_first_and_one_proxy_may_serve_all() {
        let environment: Environment = [
            ("HTTPS_PROXY", "http://big.example"),
            ("https_proxy", "http://small.example"),
            ("ALL_PROXY", "http://all.example"),
            ("NO_PROXY", "localhost"),
        ]
        .into_iter()
        .collect();
        let proxy = proxy(&environment);
        assert_eq!(proxy.https.as_deref(), Some("http://small.example"));
        assert_eq!(proxy.http.as_deref(), Some("http://all.example"));
        assert_eq!(proxy.no_proxy.as_deref(), Some("localhost"));
    }
}
