//! One attempt's requests: the first, and those that redirects ask for.

use std::sync::atomic::Ordering;

use reqwest::header::ACCEPT;
use reqwest::{Request, Response, Url};
use tokio::time::{Instant, timeout_at};

use super::asking::{Asking, TimeLimit};
use super::body::Body;
use super::error::{Failure, Phase, RedirectTrouble, Refusal};
use super::json;
use super::redirect::{self, MOST_HOPS};
use super::trouble;

/// An answer that has begun, and is no refusal.
pub(super) struct Opened {
    pub(super) response: Response,
    /// Where the resource is now, if every redirect on the way was for good.
    pub(super) moved_to: Option<String>,
    /// It comes from elsewhere than the base URL's origin.
    pub(super) foreign: bool,
    pub(super) sent: Instant,
}

/// In bytes: what is read of a refusal. Validation messages are long.
const REFUSAL: usize = 64 << 10;

impl Asking<'_> {
    /// Sends the request and follows redirects until an answer begins.
    pub(super) async fn open(&self, limit: TimeLimit) -> Result<Opened, Failure> {
        let mut url = self.asked.url.clone();
        let mut foreign = false;
        let mut moved = Moved::NotYet;
        for _ in 0..=MOST_HOPS {
            let sent = Instant::now();
            let response = match self.request(url.clone(), foreign, limit).await {
                Ok(response) => response,
                Err(failure) => {
                    self.report(Err(failure.class()), sent, 0);
                    return Err(failure);
                }
            };
            let status = response.status();
            let call = (&self.call.method, &self.call.safety);
            match redirect::next(status, response.headers(), call, &url, &self.shared.base) {
                Ok(Some(next)) => {
                    self.report(Ok(status.as_u16()), sent, 0);
                    moved = moved.then(&next.url, next.permanent);
                    url = next.url;
                    foreign = next.foreign;
                }
                Ok(None) if status.is_success() => {
                    return Ok(Opened {
                        response,
                        moved_to: moved.target(),
                        foreign,
                        sent,
                    });
                }
                Ok(None) => {
                    let refusal = timeout_at(limit.at, refusal(response)).await;
                    let failure = match refusal {
                        Ok(refusal) => Failure::Status(refusal),
                        Err(_) => limit.exceeded(Phase::Body),
                    };
                    self.report(Ok(status.as_u16()), sent, 0);
                    return Err(failure);
                }
                Err(trouble) => {
                    self.report(Ok(status.as_u16()), sent, 0);
                    return Err(Failure::Redirect(trouble));
                }
            }
        }
        Err(Failure::Redirect(RedirectTrouble::TooMany {
            limit: MOST_HOPS,
        }))
    }

    async fn request(
        &self,
        url: Url,
        foreign: bool,
        limit: TimeLimit,
    ) -> Result<Response, Failure> {
        let mut request = Request::new(self.call.method.clone(), url);
        if foreign {
            // What the base URL's server may know is not for others.
            let accept = self.headers.get(ACCEPT).cloned();
            request
                .headers_mut()
                .extend(accept.map(|value| (ACCEPT, value)));
        } else {
            *request.headers_mut() = self.headers.clone();
        }
        *request.body_mut() = self.body.clone().map(Into::into);
        self.shared.requests.fetch_add(1, Ordering::Relaxed);
        let url = request.url().clone();
        match timeout_at(limit.at, self.shared.client.execute(request)).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => {
                let Self { shared, .. } = self;
                Err(trouble::unanswered(
                    &error,
                    &url,
                    &shared.settings.limits,
                    &shared.proxies,
                ))
            }
            Err(_) => Err(limit.exceeded(Phase::Answer)),
        }
    }
}

/// Where a chain of redirects leads for good.
enum Moved {
    NotYet,
    To(String),
    /// A redirect for now was among them.
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

async fn refusal(response: Response) -> Refusal {
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    let mut body = Body::new(response, u64::MAX);
    let beginning = body.beginning(REFUSAL).await;
    Refusal {
        status,
        excerpt: json::excerpt(&beginning),
        json: serde_json::from_slice(&beginning).ok(),
        retry_after: None,
        location: None,
        headers,
    }
}
