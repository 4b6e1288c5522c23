//! How servers are connected to: TLS, certificates, proxies.

use std::sync::Arc;

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::Url;
use reqwest::redirect;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

use super::client::is_local;
use super::display;
use super::failure::Cause;
use super::settings::{ProxySettings, Settings, SettingsError, Trust};
use super::system_verifier::SystemVerifier;

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
        Trust::System => system_config(builder, Vec::new(), provider),
        Trust::SystemAnd(pem) => system_config(builder, certificates(pem)?, provider),
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn system_config(
    builder: rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>,
    extra: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
) -> ClientConfig {
    builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(SystemVerifier::new(extra, provider)))
        .with_no_client_auth()
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
    let settings = &in_use(settings);
    let kinds: [(&'static str, &Option<String>, Make); 2] = [
        ("HTTP", &settings.http, |url| reqwest::Proxy::http(url)),
        ("HTTPS", &settings.https, |url| reqwest::Proxy::https(url)),
    ];
    let mut proxies = Vec::new();
    for (which, url, make) in kinds {
        let Some(url) = url else {
            continue;
        };
        let unusable = |reason: String| SettingsError::Proxy {
            which,
            url: display_proxy(url),
            reason,
        };
        if url.contains("://") && !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(unusable(
                "it must begin with http:// or https://".to_owned(),
            ));
        }
        let proxy =
            make(url).map_err(|error| unusable(Cause::from_error(&error.without_url()).0))?;
        let except = exceptions(url, settings);
        proxies.push(proxy.no_proxy(reqwest::NoProxy::from_string(&except)));
    }
    Ok(proxies)
}

/// The settings without values that mean "none": empty text, and `*` among the
/// exceptions, which also covers addresses.
fn in_use(settings: &ProxySettings) -> ProxySettings {
    let except = settings.no_proxy.as_deref().unwrap_or_default();
    if except.split(',').any(|entry| entry.trim() == "*") {
        return ProxySettings::default();
    }
    let some = |url: &Option<String>| url.clone().filter(|url| !url.is_empty());
    ProxySettings {
        http: some(&settings.http),
        https: some(&settings.https),
        no_proxy: settings.no_proxy.clone(),
    }
}

/// Hosts that are connected to directly. Requests to this machine must not leave
/// it, since they may not even be encrypted. A proxy on this machine is an
/// exception.
fn exceptions(proxy: &str, settings: &ProxySettings) -> String {
    let given = settings.no_proxy.as_deref().unwrap_or_default();
    let scheme = if proxy.contains("://") { "" } else { "http://" };
    let proxy = Url::parse(&format!("{scheme}{proxy}"));
    if proxy.is_ok_and(|proxy| is_local(&proxy)) {
        return given.to_owned();
    }
    format!("{given},localhost,127.0.0.0/8,::1")
}

fn display_proxy(url: &str) -> String {
    let redactor = baton_host::cmd::Redactor::default();
    display::excerpt(&redactor.redact(url))
}

/// Which proxy is used for which URL, so that a failure can name it. It follows
/// the same rules as the client itself.
pub(super) struct Proxies([Matcher; 2]);

impl Proxies {
    pub(super) fn new(settings: &ProxySettings) -> Self {
        let settings = &in_use(settings);
        let matcher = |http: &Option<String>, https: &Option<String>| {
            let proxy = http.as_deref().or(https.as_deref()).unwrap_or_default();
            Matcher::builder()
                .http(http.clone().unwrap_or_default())
                .https(https.clone().unwrap_or_default())
                .no(exceptions(proxy, settings))
                .build()
        };
        Self([
            matcher(&settings.http, &None),
            matcher(&None, &settings.https),
        ])
    }

    /// Host and port of the proxy for `url`.
    pub(super) fn before(&self, url: &Url) -> Option<String> {
        let uri = url.as_str().parse().ok()?;
        let proxy = self.0.iter().find_map(|matcher| matcher.intercept(&uri))?;
        Some(proxy.uri().authority()?.as_str().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxied(proxy: &str, no_proxy: Option<&str>, url: &str) -> bool {
        let settings = ProxySettings {
            http: Some(proxy.to_owned()),
            https: Some(proxy.to_owned()),
            no_proxy: no_proxy.map(ToOwned::to_owned),
        };
        proxies(&settings).unwrap();
        let before = Proxies::new(&settings).before(&Url::parse(url).unwrap());
        before
            .inspect(|proxy| assert!(!proxy.contains("me"), "{proxy}"))
            .is_some()
    }

    #[test]
    fn exceptions_are_domains_addresses_and_networks() {
        let proxy = "http://me:pw@proxy.test:3128";
        let except = Some("example.test, .internal.test,10.0.0.0/8");
        for direct in [
            "https://example.test/x",
            "https://api.example.test",
            "http://a.internal.test",
            "https://10.1.2.3",
        ] {
            assert!(!proxied(proxy, except, direct), "{direct}");
            assert!(!proxied(proxy, Some("*"), direct), "{direct}");
            assert!(proxied(proxy, None, direct), "{direct}");
        }
        for other in [
            "https://notexample.test",
            "https://11.1.2.3",
            "http://other.test",
        ] {
            assert!(proxied(proxy, except, other), "{other}");
        }
    }

    #[test]
    fn what_is_meant_for_this_machine_stays_on_it() {
        for local in [
            "http://localhost:3000",
            "http://forge.localhost",
            "https://127.0.0.2",
            "http://[::1]:1",
        ] {
            for proxy in [
                "http://proxy.test:3128",
                "proxy.test:3128",
                "https://10.0.0.1",
            ] {
                assert!(!proxied(proxy, None, local), "{local} {proxy}");
            }
            for proxy in ["http://127.0.0.1:3128", "localhost:3128"] {
                assert!(proxied(proxy, None, local), "{local} {proxy}");
            }
        }
    }

    #[test]
    fn an_empty_variable_is_none() {
        let settings = ProxySettings {
            http: Some(String::new()),
            ..ProxySettings::default()
        };
        assert!(proxies(&settings).unwrap().is_empty());
        let url = Url::parse("http://example.test").unwrap();
        assert_eq!(Proxies::new(&settings).before(&url), None);
    }
}
