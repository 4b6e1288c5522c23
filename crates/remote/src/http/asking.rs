//! One call on its way through its attempts.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Url;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use tokio::time::Instant;

use super::body::Body;
use super::call::Call;
use super::client::{Http, Shared};
use super::error::{Asked, Cause, Class, Failure, HttpError, Phase};
use super::event::{Event, WaitReason};
use super::exchange::Opened;
use super::reply::Reply;
use super::retry::{self, Attempted, Decision};

/// A call with everything that its attempts have in common.
pub(super) struct Asking<'a> {
    pub(super) shared: &'a Shared,
    pub(super) call: &'a Call,
    pub(super) asked: Asked,
    /// For the base URL's origin alone: the credential is among them.
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Bytes>,
    deadline: Instant,
    overall: Duration,
}

/// When an attempt is over, and whose fault that would be.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLimit {
    pub(super) at: Instant,
    length: Duration,
    overall: bool,
}

impl TimeLimit {
    pub(super) fn exceeded(self, phase: Phase) -> Failure {
        Failure::Timeout {
            phase: if self.overall { Phase::Overall } else { phase },
            limit: self.length,
        }
    }
}

impl<'a> Asking<'a> {
    pub(super) async fn new(http: &'a Http, call: &'a Call) -> Result<Self, HttpError> {
        let shared = &*http.shared;
        let mut asked = Asked {
            method: call.method.clone(),
            url: shared.base.clone(),
            credential: None,
            attempts: 0,
        };
        match prepare(shared, call, &mut asked).await {
            Ok((headers, body)) => {
                let overall = call.deadline.unwrap_or(shared.settings.limits.overall);
                Ok(Self {
                    shared,
                    call,
                    asked,
                    headers,
                    body,
                    deadline: Instant::now() + overall,
                    overall,
                })
            }
            Err(failure) => Err(asked.failed(failure)),
        }
    }

    /// One attempt, from the request to the last byte of the answer.
    pub(super) async fn attempt(&mut self) -> Result<Reply, Failure> {
        let limit = self.begin_attempt();
        let Opened {
            response,
            moved_to,
            foreign: _,
            sent,
        } = self.open(limit).await?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let mut body = Body::new(response, self.size_cap());
        let whole = tokio::time::timeout_at(limit.at, body.whole())
            .await
            .unwrap_or_else(|_| Err(limit.exceeded(Phase::Body)));
        let bytes = body.received();
        self.report(
            whole.as_ref().map(|_| status).map_err(Failure::class),
            sent,
            bytes,
        );
        Ok(Reply {
            status,
            headers,
            body: whole?,
            from_cache: false,
            moved_to,
            asked: self.asked.clone(),
        })
    }

    /// Waits for the next attempt if there is to be one.
    pub(super) async fn pause_or_give_up(&mut self, failure: Failure) -> Result<(), HttpError> {
        let settings = &self.shared.settings;
        let attempted = Attempted {
            class: failure.class(),
            retry_after: failure.retry_after(),
            attempts: self.asked.attempts,
            time_left: self.time_left(),
        };
        let chance = settings.clock.chance();
        match retry::decide(&settings.retry, &self.call.safety, attempted, chance) {
            Decision::GiveUp => Err(self.asked.failed(failure)),
            Decision::Again { pause } => {
                self.wait(pause, WaitReason::Retry(attempted.class)).await;
                Ok(())
            }
        }
    }

    pub(super) fn failed(&self, failure: Failure) -> HttpError {
        self.asked.failed(failure)
    }

    async fn wait(&self, pause: Duration, reason: WaitReason) {
        let settings = &self.shared.settings;
        settings.observer.see(&Event::Waiting {
            method: &self.call.method,
            path: self.path(),
            pause,
            reason,
        });
        tracing::debug!(method = %self.call.method, path = self.path(), ?pause, ?reason, "waiting");
        settings.clock.sleep(pause).await;
    }

    pub(super) fn begin_attempt(&mut self) -> TimeLimit {
        self.asked.attempts += 1;
        self.time_limit()
    }

    /// For an attempt that begins now.
    pub(super) fn time_limit(&self) -> TimeLimit {
        let now = Instant::now();
        let length = self.shared.settings.limits.attempt;
        if now + length < self.deadline {
            TimeLimit {
                at: now + length,
                length,
                overall: false,
            }
        } else {
            TimeLimit {
                at: self.deadline,
                length: self.overall,
                overall: true,
            }
        }
    }

    pub(super) fn size_cap(&self) -> u64 {
        self.call
            .size_cap
            .unwrap_or(self.shared.settings.limits.body)
    }

    fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// How events name what is asked: by template where there is one.
    pub(super) fn path(&self) -> &str {
        self.call
            .path
            .template()
            .unwrap_or_else(|| self.asked.url.path())
    }

    pub(super) fn report(&self, outcome: Result<u16, Class>, sent: Instant, bytes: u64) {
        let requested = super::event::Requested {
            method: &self.call.method,
            path: self.path(),
            outcome,
            attempt: self.asked.attempts,
            duration: sent.elapsed(),
            bytes,
            from_cache: false,
            quota: None,
        };
        tracing::debug!(?requested, "request");
        self.shared
            .settings
            .observer
            .see(&Event::Requested(requested));
    }
}

/// Headers and body. Fills in `asked` on the way, so that a failure can say
/// as much as is known.
async fn prepare(
    shared: &Shared,
    call: &Call,
    asked: &mut Asked,
) -> Result<(HeaderMap, Option<Bytes>), Failure> {
    if let Some(template) = call.path.template() {
        asked.url.set_path(template);
    }
    asked.url = url(shared, call)?;
    let body = call.body.clone().transpose();
    let body = body.map_err(|reason| Failure::Unsendable { reason })?;
    asked.credential = shared
        .settings
        .credentials
        .get()
        .await
        .map_err(|error| Failure::Credential(Cause::of(&*error)))?;

    let mut headers = shared.headers.clone();
    headers.insert(ACCEPT, header_value("accept", &call.accept)?);
    if body.is_some() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    for (name, value) in &call.headers {
        let value = header_value(name, value)?;
        headers.insert(HeaderName::from_static(name), value);
    }
    if let Some(credential) = &asked.credential {
        headers.insert(AUTHORIZATION, credential.header().clone());
    }
    Ok((headers, body))
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
