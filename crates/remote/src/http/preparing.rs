//! Turns a call into a request.

use bytes::Bytes;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use tokio::time::timeout_at;

use super::cache::{Kept, Key};
use super::call::Call;
use super::client::Shared;
use super::credential::Credential;
use super::deadline::Deadline;
use super::error::{Asked, HttpError};
use super::failure::{Cause, Failure, Phase};

pub(super) struct Prepared {
    pub(super) asked: Asked,
    /// For the base URL's origin alone: the credential is among them.
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Bytes>,
}

pub(super) async fn prepare(
    shared: &Shared,
    call: &Call,
    deadline: Deadline,
) -> Result<Prepared, HttpError> {
    let mut asked = Asked {
        method: call.method.clone(),
        url: shared.base.clone(),
        credential: None,
        attempts: 0,
    };
    let unmade = |asked: &Asked, failure| {
        let url = call.path.display(&shared.base);
        asked.failed_at(url, failure)
    };
    // First, since the redaction needs to know the secret.
    let credential = credential(shared, deadline).await;
    asked.credential = credential.map_err(|failure| unmade(&asked, failure))?;
    asked.url = url(shared, call).map_err(|failure| unmade(&asked, failure))?;
    let body = call.body.clone().transpose();
    let body = body.map_err(|reason| asked.failed(Failure::Unsendable { reason }))?;
    let headers = headers(shared, call, asked.credential.as_ref());
    let headers = headers.map_err(|failure| asked.failed(failure))?;
    Ok(Prepared {
        asked,
        headers,
        body,
    })
}

async fn credential(shared: &Shared, deadline: Deadline) -> Result<Option<Credential>, Failure> {
    let limit = deadline.whole();
    match timeout_at(limit.at, shared.settings.credentials.get()).await {
        Ok(credential) => {
            credential.map_err(|error| Failure::Credential(Cause::from_error(&*error)))
        }
        Err(_) => Err(limit.exceeded(Phase::Overall)),
    }
}

fn headers(
    shared: &Shared,
    call: &Call,
    credential: Option<&Credential>,
) -> Result<HeaderMap, Failure> {
    let mut headers = shared.headers.clone();
    headers.insert(ACCEPT, header_value("accept", &call.accept)?);
    if call.body.is_some() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    for (name, value) in &call.headers {
        let value = header_value(name, value)?;
        headers.insert(HeaderName::from_static(name), value);
    }
    if let Some(credential) = credential {
        headers.insert(AUTHORIZATION, credential.header().clone());
    }
    Ok(headers)
}

/// Everything that the response depends on, if it may be cached.
pub(super) fn key(shared: &Shared, call: &Call, asked: &Asked, headers: &HeaderMap) -> Option<Key> {
    let keeps = shared.settings.cache.is_some() && call.cacheable && call.method == Method::GET;
    if !keeps {
        return None;
    }
    let identity: &[u8] = match &asked.credential {
        Some(credential) => credential.identity(),
        None => &[],
    };
    // The credential among the headers is marked as sensitive.
    let headers = headers
        .iter()
        .filter(|(_, value)| !value.is_sensitive())
        .flat_map(|(name, value)| [name.as_str().as_bytes(), value.as_bytes()]);
    let place = [identity, asked.url.as_str().as_bytes()];
    Some(Key::new(place.into_iter().chain(headers)))
}

pub(super) async fn find(shared: &Shared, call: &Call, key: Option<Key>) -> Option<Kept> {
    let cache = shared.settings.cache.as_ref()?;
    let kept = cache.find(key?, shared.settings.clock.now()).await?;
    let cap = call.size_cap.unwrap_or(shared.settings.limits.body);
    (kept.body.len() as u64 <= cap).then_some(kept)
}

fn url(shared: &Shared, call: &Call) -> Result<Url, Failure> {
    let mut url = call.path.resolve(&shared.base)?;
    if !call.query.is_empty() {
        url.query_pairs_mut().extend_pairs(&call.query);
    }
    Ok(url)
}

fn header_value(name: &str, value: &str) -> Result<HeaderValue, Failure> {
    HeaderValue::from_str(value).map_err(|_| Failure::Unsendable {
        reason: format!("the header `{name}` has characters that cannot be sent"),
    })
}
