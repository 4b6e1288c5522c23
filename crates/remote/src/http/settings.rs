//! The settings of a client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::budget::BudgetPolicy;
use super::cache::Cache;
use super::clock::Clock;
use super::credential::Credentials;
use super::event::Event;
use super::retry::RetryPolicy;

/// The caller's settings. [`Settings::new`] has sensible values for all but the
/// first two.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The base of all calls, such as `https://api.github.com` or
    /// `https://github.example.com/api/v3`.
    pub base_url: String,
    pub user_agent: String,
    /// Sent with every call to the base URL's origin.
    pub headers: Vec<(&'static str, String)>,
    pub credentials: Credentials,
    pub plain_http: PlainHttp,
    pub limits: Limits,
    pub retry: RetryPolicy,
    pub budget: BudgetPolicy,
    pub proxy: ProxySettings,
    pub trust: Trust,
    pub cache: Option<Cache>,
    pub observer: Observer,
    pub clock: Clock,
}

impl Settings {
    pub fn new(base_url: impl Into<String>, user_agent: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            user_agent: user_agent.into(),
            headers: Vec::new(),
            credentials: Credentials::Anonymous,
            plain_http: PlainHttp::LoopbackOnly,
            limits: Limits::default(),
            retry: RetryPolicy::default(),
            budget: BudgetPolicy::default(),
            proxy: ProxySettings::default(),
            trust: Trust::System,
            cache: None,
            observer: Observer::default(),
            clock: Clock::system(),
        }
    }
}

/// Where a base URL may be `http://`. A credential would be sent unencrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainHttp {
    /// On this machine: loopback addresses, `localhost` and `*.localhost`.
    LoopbackOnly,
    /// Anywhere; the user chose it.
    Anywhere,
}

/// How long and how large things may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// To reach the server, TLS included.
    pub connect: Duration,
    /// For one attempt with its answer. Where the answer is streamed, the
    /// longest silence.
    pub attempt: Duration,
    /// For all attempts of a call together, waits included.
    pub overall: Duration,
    /// In bytes, once unpacked.
    pub body: u64,
    /// Requests under way at a time, those of all clones together.
    pub in_flight: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            // GitHub itself gives up on a request after ten seconds.
            attempt: Duration::from_secs(30),
            overall: Duration::from_mins(2),
            // A page of a hundred pull requests with long bodies takes some 7 MB.
            body: 32 << 20,
            // GitHub counts requests at the same time towards its secondary limit, and asks for
            // one after the other; more than this is also of no use.
            in_flight: 16,
        }
    }
}

/// Which proxy to use, in the format of the usual variables.
#[derive(Clone, Default)]
pub struct ProxySettings {
    /// For `http://` URLs, as in `HTTP_PROXY`. May hold credentials.
    pub http: Option<String>,
    /// For `https://` URLs, as in `HTTPS_PROXY`. May hold credentials.
    pub https: Option<String>,
    /// Hosts that are connected to directly, as in `NO_PROXY`.
    pub no_proxy: Option<String>,
}

/// A proxy's URL may hold a password.
impl fmt::Debug for ProxySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let redactor = baton_host::cmd::Redactor::default();
        let redacted =
            |url: &Option<String>| url.as_deref().map(|url| redactor.redact(url).into_owned());
        f.debug_struct("ProxySettings")
            .field("http", &redacted(&self.http))
            .field("https", &redacted(&self.https))
            .field("no_proxy", &self.no_proxy)
            .finish()
    }
}

/// Which certificates are trusted.
#[derive(Clone, Debug, Default)]
pub enum Trust {
    /// Those that the system trusts.
    #[default]
    System,
    /// Those, and the ones in this PEM text.
    SystemAnd(Vec<u8>),
    /// Only those in this PEM text, which is what `SSL_CERT_FILE` means.
    Only(Vec<u8>),
}

/// Sees every event. It is called on the runtime and must not block.
#[derive(Clone, Default)]
pub struct Observer(Option<Arc<Observe>>);

type Observe = dyn Fn(&Event<'_>) + Send + Sync;

impl Observer {
    pub fn new(observe: impl Fn(&Event<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(observe)))
    }

    pub(super) fn see(&self, event: &Event<'_>) {
        if let Some(observe) = &self.0 {
            observe(event);
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "Observer(set)"
        } else {
            "Observer(none)"
        })
    }
}

/// Why no client can be made from the settings.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("the base URL `{url}` cannot be used: {reason}")]
    BaseUrl { url: String, reason: String },
    #[error(
        "the base URL `{url}` is not encrypted, and the credential would travel in clear; use https://, or allow plain HTTP for this host in your own configuration"
    )]
    PlainHttp { url: String },
    #[error(
        "the header `{name}` cannot be sent; check it for line feeds and other control characters"
    )]
    Header { name: String },
    #[error("the {which} proxy `{url}` cannot be used: {reason}")]
    Proxy {
        which: &'static str,
        url: String,
        reason: String,
    },
    #[error(
        "the certificates to trust cannot be used: {reason}; give a file with at least one `BEGIN CERTIFICATE` block"
    )]
    Certificates { reason: String },
    #[error("cannot set up TLS")]
    Tls(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("cannot set up the HTTP client")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
}
