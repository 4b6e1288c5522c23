//! The client and what all its clones share.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use super::asking::Asking;
use super::budget::Budget;
use super::call::Call;
use super::connecting::{self, Proxies};
use super::display;
use super::error::HttpError;
use super::reply::Reply;
use super::settings::{PlainHttp, Settings, SettingsError};

/// Sends calls. Clones are cheap and share connections, quotas and counts.
#[derive(Clone)]
pub struct Http {
    pub(super) shared: Arc<Shared>,
}

pub(super) struct Shared {
    pub(super) client: reqwest::Client,
    pub(super) base: Url,
    pub(super) headers: HeaderMap,
    pub(super) proxies: Proxies,
    pub(super) budget: Budget,
    /// One permit for each request under way.
    pub(super) in_flight: Semaphore,
    pub(super) requests: AtomicU64,
    pub(super) settings: Settings,
}

impl Http {
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        let base = base_url(&settings)?;
        let shared = Shared {
            client: connecting::client(&settings)?,
            headers: headers(&settings)?,
            proxies: Proxies::new(&settings.proxy),
            budget: Budget::new(settings.budget),
            in_flight: Semaphore::new(settings.limits.in_flight),
            requests: AtomicU64::new(0),
            base,
            settings,
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// Makes the call and reads the whole response. A refusal (status 400 and
    /// above) is an error.
    ///
    /// Boxed: the compiler copies the code of a bare future into every crate that awaits it.
    pub fn send<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Reply, HttpError>> {
        Box::pin(async move {
            let mut asking = Asking::new(self, call).await?;
            loop {
                match asking.attempt().await {
                    Ok(reply) => return Ok(reply),
                    Err(failure) => asking.pause_or_give_up(failure).await?,
                }
            }
        })
    }

    /// Makes the call and parses its response as JSON.
    pub async fn json<T: DeserializeOwned>(&self, call: &Call) -> Result<T, HttpError> {
        self.send(call).await?.json()
    }

    /// How many requests were sent, with retries, redirects and pages.
    pub fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::Relaxed)
    }

    /// The base URL, without credentials.
    pub fn base_url(&self) -> String {
        display::target(&self.shared.base)
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http")
            .field("base_url", &self.base_url())
            .finish_non_exhaustive()
    }
}

/// A client for another protocol on top of HTTP, with the same rules: allowed
/// addresses, trusted certificates, proxies.
pub(crate) fn client_for(settings: &Settings) -> Result<reqwest::Client, SettingsError> {
    base_url(settings)?;
    connecting::client(settings)
}

fn base_url(settings: &Settings) -> Result<Url, SettingsError> {
    let redacted = || {
        let redactor = baton_host::cmd::Redactor::default();
        display::excerpt(&redactor.redact(&settings.base_url))
    };
    let unusable = |reason: &str| SettingsError::BaseUrl {
        url: redacted(),
        reason: reason.to_owned(),
    };
    let url = Url::parse(&settings.base_url).map_err(|error| unusable(&error.to_string()))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(unusable("it must not hold credentials"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(unusable("it must have neither a query nor a fragment"));
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if settings.plain_http == PlainHttp::Anywhere || is_local(&url) => Ok(url),
        "http" => Err(SettingsError::PlainHttp { url: redacted() }),
        _ => Err(unusable("it must begin with https://")),
    }
}

/// Whether requests to this URL stay on this machine.
pub(super) fn is_local(url: &Url) -> bool {
    // `Url` has brought addresses into their normal form.
    match url.host_str() {
        Some(host) => {
            host == "localhost"
                || host.ends_with(".localhost")
                || host
                    .trim_start_matches('[')
                    .trim_end_matches(']')
                    .parse::<std::net::IpAddr>()
                    .is_ok_and(|address| address.is_loopback())
        }
        None => false,
    }
}

fn headers(settings: &Settings) -> Result<HeaderMap, SettingsError> {
    let mut headers = HeaderMap::with_capacity(settings.headers.len());
    for (name, value) in &settings.headers {
        let pair = HeaderName::from_bytes(name.as_bytes())
            .ok()
            .zip(HeaderValue::from_str(value).ok());
        let Some((name, value)) = pair else {
            return Err(SettingsError::Header {
                name: (*name).to_owned(),
            });
        };
        headers.insert(name, value);
    }
    Ok(headers)
}
