//! How servers are reached: TLS, certificates, proxies.

use std::sync::Arc;

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::Url;
use reqwest::redirect;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use super::settings::{ProxySettings, Settings, SettingsError, Trust};
use super::shown;

/// Servers close a connection that idles for a minute or more. A request that
/// crosses with the closing fails in a way that a write must not repeat, so we
/// close first.
const IDLE_CONNECTION: std::time::Duration = std::time::Duration::from_secs(30);

pub(super) fn client(settings: &Settings) -> Result<reqwest::Client, SettingsError> {
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls(&settings.trust)?)
        .user_agent(&settings.user_agent)
        .connect_timeout(settings.limits.connect)
        .pool_idle_timeout(IDLE_CONNECTION)
        .tcp_nodelay(true)
        .redirect(redirect::Policy::none())
        .referer(false)
        .retry(reqwest::retry::never())
        // The library would read the environment otherwise.
        .no_proxy();
    for proxy in proxies(&settings.proxy)? {
        builder = builder.proxy(proxy);
    }
    builder
        .build()
        .map_err(|error| SettingsError::Client(Box::new(error)))
}

fn tls(trust: &Trust) -> Result<ClientConfig, SettingsError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| SettingsError::Tls(Box::new(error)))?;
    let mut config = match trust {
        Trust::Only(pem) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates(pem)? {
                roots
                    .add(certificate)
                    .map_err(|error| SettingsError::Certificates {
                        reason: error.to_string(),
                    })?;
            }
            builder.with_root_certificates(roots).with_no_client_auth()
        }
        Trust::System => system_config(builder, Vec::new(), provider)?,
        Trust::SystemAnd(pem) => system_config(builder, certificates(pem)?, provider)?,
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn system_config(
    builder: rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>,
    extra: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
) -> Result<ClientConfig, SettingsError> {
    let verifier = Verifier::new_with_extra_roots(extra, provider)
        .map_err(|error| SettingsError::Tls(Box::new(error)))?;
    Ok(builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, SettingsError> {
    let unusable = |reason: String| SettingsError::Certificates { reason };
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|error| unusable(error.to_string()))?;
    if certificates.is_empty() {
        return Err(unusable("there are none".to_owned()));
    }
    Ok(certificates)
}

fn proxies(settings: &ProxySettings) -> Result<Vec<reqwest::Proxy>, SettingsError> {
    type Make = fn(&str) -> reqwest::Result<reqwest::Proxy>;
    let kinds: [(&'static str, &Option<String>, Make); 2] = [
        ("HTTP", &settings.http, |url| reqwest::Proxy::http(url)),
        ("HTTPS", &settings.https, |url| reqwest::Proxy::https(url)),
    ];
    let mut proxies = Vec::new();
    for (which, url, make) in kinds {
        let Some(url) = url.as_deref().filter(|url| !url.is_empty()) else {
            continue;
        };
        let proxy = make(url).map_err(|error| SettingsError::Proxy {
            which,
            url: shown_proxy(url),
            reason: super::error::Cause::of(&error.without_url()).0,
        })?;
        let except = settings.no_proxy.as_deref().unwrap_or_default();
        proxies.push(proxy.no_proxy(reqwest::NoProxy::from_string(except)));
    }
    Ok(proxies)
}

fn shown_proxy(url: &str) -> String {
    let redactor = baton_host::cmd::Redactor::default();
    shown::excerpt(&redactor.redact(url))
}

/// Which proxy stands before which URL, so that a failure can name it. It
/// follows the same rules as the client itself.
pub(super) struct Proxies(Matcher);

impl Proxies {
    pub(super) fn new(settings: &ProxySettings) -> Self {
        let ProxySettings {
            http,
            https,
            no_proxy,
        } = settings.clone();
        let matcher = Matcher::builder()
            .http(http.unwrap_or_default())
            .https(https.unwrap_or_default())
            .no(no_proxy.unwrap_or_default())
            .build();
        Self(matcher)
    }

    /// Host and port of the proxy that `url` is asked through.
    pub(super) fn before(&self, url: &Url) -> Option<String> {
        let uri = url.as_str().parse().ok()?;
        let proxy = self.0.intercept(&uri)?;
        Some(proxy.uri().authority()?.as_str().to_owned())
    }
}
