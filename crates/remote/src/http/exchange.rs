//! The requests of one attempt: the first, and those after redirects.

use std::sync::atomic::Ordering;

use reqwest::header::{ACCEPT, HeaderMap};
use reqwest::{Request, Response, StatusCode, Url};
use tokio::time::{Instant, timeout_at};

use super::asking::{Asking, Seen};
use super::body::Body;
use super::deadline::TimeLimit;
use super::failure::{Cause, Failure, Phase, RedirectError, Refusal};
use super::json;
use super::rate_limit::{refused, wanted_pause};
use super::redirect::{self, MAX_REDIRECTS};
use super::transport_error::unanswered;

/// A response that has started and is not a refusal.
pub(super) struct Opened {
    pub(super) response: Response,
    /// The new address of the resource, if every redirect was permanent.
    pub(super) moved_to: Option<String>,
    /// It does not come from the base URL's origin.
    pub(super) foreign: bool,
    pub(super) sent: Instant,
}

/// In bytes: how much of a refusal is read. Validation messages are long.
const REFUSAL: usize = 64 << 10;

impl Asking<'_> {
    /// Sends the request and follows redirects until a response starts.
    pub(super) async fn open(&self, limit: TimeLimit) -> Result<Opened, Failure> {
        let mut url = self.asked.url.clone();
        let mut foreign = false;
        let mut moved = Moved::NotYet;
        for _ in 0..=MAX_REDIRECTS {
            let sent = Instant::now();
            let response = self.request(&url, foreign, limit).await;
            let response = response.inspect_err(|failure| {
                self.report(Err(failure.class()), sent, Seen::default());
            })?;
            if !foreign {
                self.note_quota(response.headers());
            }
            if self.is_answer(response.status(), foreign) {
                return Ok(Opened {
                    response,
                    moved_to: moved.target().map(|place| self.asked.redacted(place)),
                    foreign,
                    sent,
                });
            }
            let call = (&self.call.method, &self.call.safety);
            let (status, headers) = (response.status(), response.headers());
            let next = redirect::next(status, headers, call, &url, &self.shared.base);
            if let Ok(None) = next {
                return Err(self.refusal(response, &url, sent, limit).await);
            }
            let seen = Seen {
                headers: (!foreign).then_some(headers),
                ..Seen::default()
            };
            self.report(Ok(status.as_u16()), sent, seen);
            if let Some(next) = next.map_err(Failure::Redirect)? {
                moved = moved.then(&next.url, next.permanent);
                url = next.url;
                foreign = next.foreign;
            }
        }
        let error = RedirectError::TooMany {
            limit: MAX_REDIRECTS,
        };
        Err(Failure::Redirect(error))
    }

    fn is_answer(&self, status: StatusCode, foreign: bool) -> bool {
        let confirms = status == StatusCode::NOT_MODIFIED && self.kept.is_some() && !foreign;
        status.is_success() || confirms
    }

    fn note_quota(&self, headers: &HeaderMap) {
        if let Some(quota) = self.quota(headers) {
            self.shared.budget.note(self.identity(), &quota, self.now());
        }
    }

    async fn request(
        &self,
        url: &Url,
        foreign: bool,
        limit: TimeLimit,
    ) -> Result<Response, Failure> {
        let mut request = Request::new(self.call.method.clone(), url.clone());
        if foreign {
            // Headers for the base URL's server are not for others.
            let accept = self.headers.get(ACCEPT).cloned();
            let accept = accept.map(|value| (ACCEPT, value));
            request.headers_mut().extend(accept);
        } else {
            *request.headers_mut() = self.headers.clone();
        }
        *request.body_mut() = self.body.clone().map(Into::into);
        let shared = self.shared;
        shared.requests.fetch_add(1, Ordering::Relaxed);
        match timeout_at(limit.at, shared.client.execute(request)).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => {
                let limits = &shared.settings.limits;
                Err(unanswered(&error, url, limits, &shared.proxies))
            }
            Err(_) => Err(limit.exceeded(Phase::Answer)),
        }
    }

    /// Classifies a response that is neither a success nor a redirect.
    async fn refusal(
        &self,
        response: Response,
        url: &Url,
        sent: Instant,
        limit: TimeLimit,
    ) -> Failure {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let mut body = Body::new(response, u64::MAX);
        let beginning = timeout_at(limit.at, body.beginning(REFUSAL)).await;
        let own = url.origin() == self.shared.base.origin();
        let seen = Seen {
            headers: own.then_some(&headers),
            bytes: body.received(),
            from_cache: false,
        };
        self.report(Ok(status), sent, seen);
        match beginning {
            Ok(beginning) => self.meaning(status, &headers, &beginning, url),
            Err(_) => limit.exceeded(Phase::Body),
        }
    }

    fn meaning(&self, status: u16, headers: &HeaderMap, body: &[u8], url: &Url) -> Failure {
        if status == StatusCode::PROXY_AUTHENTICATION_REQUIRED.as_u16()
            && let Some(proxy) = self.shared.proxies.before(url)
        {
            let cause = Cause("it wants a user name and a password".to_owned());
            return Failure::Proxy { proxy, cause };
        }
        let now = self.now();
        match refused(status, headers, body, self.call.resource, now) {
            Some(limit) => Failure::RateLimited(limit),
            None => Failure::Status(Box::new(Refusal {
                status,
                excerpt: json::excerpt(body, &self.asked),
                json: serde_json::from_slice(body).ok(),
                retry_after: wanted_pause(headers, now),
                headers: headers.clone(),
            })),
        }
    }
}

/// Where a chain of permanent redirects leads.
enum Moved {
    NotYet,
    To(String),
    /// A temporary redirect was among them.
    ForNow,
}

impl Moved {
    fn then(self, url: &Url, permanent: bool) -> Self {
        match self {
            Self::NotYet | Self::To(_) if permanent => Self::To(url.as_str().to_owned()),
            Self::To(place) => Self::To(place),
            Self::NotYet | Self::ForNow => Self::ForNow,
        }
    }

    fn target(self) -> Option<String> {
        match self {
            Self::To(place) => Some(place),
            Self::NotYet | Self::ForNow => None,
        }
    }
}
