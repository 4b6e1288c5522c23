//! One call through all its attempts.

use std::borrow::Cow;
use std::mem;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use tokio::sync::SemaphorePermit;
use tokio::time::{Instant, timeout_at};

use super::body::Body;
use super::budget::Admission;
use super::cache::{Kept, Key};
use super::call::Call;
use super::client::{Http, Shared};
use super::credential::Credential;
use super::deadline::{Deadline, TimeLimit};
use super::error::{Asked, HttpError};
use super::event::{Event, Quota, Requested, WaitReason};
use super::exchange::Opened;
use super::failure::{Class, Failure, Phase};
use super::preparing::{Prepared, find, key, prepare};
use super::rate_limit::{RateLimit, RateLimitKind, limit_of, quota, until};
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
    /// The cache key of the response, if it may be cached.
    key: Option<Key>,
    pub(super) kept: Option<Kept>,
    /// The name of the request in events.
    path: Cow<'a, str>,
    deadline: Deadline,
}

impl<'a> Asking<'a> {
    pub(super) async fn new(http: &'a Http, call: &'a Call) -> Result<Self, HttpError> {
        let mut asking = Self::uncached(http, call).await?;
        let Self {
            shared,
            asked,
            headers,
            ..
        } = &mut asking;
        let key = key(shared, call, asked, headers);
        let kept = find(shared, call, key).await;
        if let Some(kept) = &kept {
            kept.ask_to_confirm(headers);
        }
        Ok(Self {
            key,
            kept,
            ..asking
        })
    }

    /// Neither reads nor writes the cache.
    pub(super) async fn uncached(http: &'a Http, call: &'a Call) -> Result<Self, HttpError> {
        let shared = &*http.shared;
        let overall = call.deadline.unwrap_or(shared.settings.limits.overall);
        let deadline = Deadline::after(overall);
        let Prepared {
            asked,
            headers,
            body,
        } = prepare(shared, call, deadline).await?;
        // Templates are ours; a URL is the server's, and may contain anything.
        let path = match call.path.template() {
            Some(template) => Cow::Borrowed(template),
            None => Cow::Owned(asked.excerpt(asked.url.path())),
        };
        Ok(Self {
            shared,
            call,
            asked,
            headers,
            body,
            key: None,
            kept: None,
            path,
            deadline,
        })
    }

    /// One attempt, from the request to the last byte of the answer.
    pub(super) async fn attempt(&mut self) -> Result<Reply, Failure> {
        let (limit, _slot) = self.begin_attempt().await?;
        let opened = self.open(limit).await?;
        match self.kept.take() {
            Some(kept) if opened.response.status() == StatusCode::NOT_MODIFIED => {
                Ok(self.confirmed(kept, opened))
            }
            kept => {
                // Needed again if this attempt fails.
                self.kept = kept;
                self.read(opened, limit).await
            }
        }
    }

    /// The cached response, which the server confirmed. Headers that it sends
    /// again, such as the quota, replace the cached ones.
    fn confirmed(&self, kept: Kept, opened: Opened) -> Reply {
        let Opened {
            response,
            moved_to,
            sent,
            ..
        } = opened;
        let seen = Seen {
            headers: Some(response.headers()),
            bytes: kept.body.len() as u64,
            from_cache: true,
        };
        self.report(Ok(StatusCode::NOT_MODIFIED.as_u16()), sent, seen);
        let mut headers = kept.headers;
        headers.extend(response.headers().clone());
        Reply {
            status: StatusCode::OK.as_u16(),
            headers,
            body: kept.body,
            from_cache: true,
            moved_to,
            asked: self.asked.clone(),
        }
    }

    async fn read(&self, opened: Opened, limit: TimeLimit) -> Result<Reply, Failure> {
        let Opened {
            mut response,
            moved_to,
            foreign,
            sent,
        } = opened;
        let status = response.status().as_u16();
        let headers = mem::take(response.headers_mut());
        let mut body = Body::new(response, self.size_cap());
        let whole = timeout_at(limit.at, body.whole())
            .await
            .unwrap_or_else(|_| Err(limit.exceeded(Phase::Body)));
        let seen = Seen {
            headers: (!foreign).then_some(&headers),
            bytes: body.received(),
            from_cache: false,
        };
        let outcome = whole.as_ref().map(|_| status).map_err(Failure::class);
        self.report(outcome, sent, seen);
        let reply = Reply {
            status,
            headers,
            body: whole?,
            from_cache: false,
            moved_to,
            asked: self.asked.clone(),
        };
        if let Some(kind) = self.call.judge.and_then(|judge| judge(&reply)) {
            let limit = limit_of(kind, &reply.headers, self.call.resource, self.now());
            return Err(Failure::RateLimited(limit));
        }
        if !foreign {
            self.keep(&reply).await;
        }
        Ok(reply)
    }

    async fn keep(&self, reply: &Reply) {
        let Some((cache, key)) = self.shared.settings.cache.as_ref().zip(self.key) else {
            return;
        };
        let credential = self.asked.credential.as_ref();
        // A server that sends credentials back must not get them onto the disk.
        let echoes = credential.is_some_and(|credential| credential.is_in(&reply.body));
        if reply.status == StatusCode::OK.as_u16()
            && !echoes
            && let Some(kept) = Kept::from_response(&reply.headers, &reply.body)
        {
            cache.keep(key, &kept, self.now()).await;
        }
    }

    /// Waits for the next attempt, if there is one.
    pub(super) async fn pause_or_give_up(&mut self, failure: Failure) -> Result<(), HttpError> {
        let settings = &self.shared.settings;
        let attempted = Attempted {
            class: failure.class(),
            retry_after: failure.retry_after(),
            attempts: self.asked.attempts,
            time_left: self.time_to_wait(),
        };
        if self.call.is_single {
            return Err(self.asked.failed(failure));
        }
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
            path: &self.path,
            pause,
            reason,
        });
        tracing::debug!(method = %self.call.method, path = &*self.path, ?pause, ?reason, safety = ?self.call.safety, "waiting");
        settings.clock.sleep(pause).await;
        if let Some(limit) = &self.call.wait_limit {
            limit.spend(pause);
        }
    }

    fn time_to_wait(&self) -> Duration {
        let left = self.deadline.left();
        let limit = self.call.wait_limit.as_ref();
        limit.map_or(left, |limit| left.min(limit.left()))
    }

    /// Waits until the quota admits the call and few enough others are under way. The permit is for
    /// as long as the attempt takes.
    pub(super) async fn begin_attempt(
        &mut self,
    ) -> Result<(TimeLimit, SemaphorePermit<'a>), Failure> {
        let now = self.now();
        let identity = self.identity();
        match self.shared.budget.admit(identity, self.call.resource, now) {
            Admission::Go => {}
            Admission::Wait(pause) => {
                // A call with little time must not spend it all on waiting.
                let pause = pause.min(self.time_to_wait() / 2);
                self.wait(pause, WaitReason::Budget).await;
            }
            Admission::Spent { until: reset } => {
                let pause = until(reset, now);
                if pause >= self.time_to_wait() {
                    return Err(Failure::RateLimited(RateLimit {
                        kind: RateLimitKind::Primary,
                        retry_after: Some(pause),
                        reset: Some(reset),
                        resource: self.call.resource.to_owned(),
                    }));
                }
                self.wait(pause, WaitReason::Budget).await;
            }
        }
        let whole = self.deadline.whole();
        let slot = timeout_at(whole.at, self.shared.in_flight.acquire()).await;
        let slot = slot.map_err(|_| whole.exceeded(Phase::Overall))?;
        self.asked.attempts += 1;
        Ok((self.time_limit(), slot.expect("it is never closed")))
    }

    /// For an attempt that begins now.
    pub(super) fn time_limit(&self) -> TimeLimit {
        self.deadline.limit(self.shared.settings.limits.attempt)
    }

    pub(super) fn size_cap(&self) -> u64 {
        self.call
            .size_cap
            .unwrap_or(self.shared.settings.limits.body)
    }

    pub(super) fn now(&self) -> Timestamp {
        self.shared.settings.clock.now()
    }

    pub(super) fn identity(&self) -> Option<&[u8; 32]> {
        self.asked.credential.as_ref().map(Credential::identity)
    }

    /// The remaining quota, according to a response.
    pub(super) fn quota<'h>(&'h self, headers: &'h HeaderMap) -> Option<Quota<'h>> {
        let mut quota = quota(headers, self.call.resource, self.now())?;
        let credential = self.asked.credential.as_ref();
        if credential.is_some_and(|credential| credential.is_in(quota.resource.as_bytes())) {
            quota.resource = self.call.resource;
        }
        Some(quota)
    }

    /// Reports a finished request to the observer.
    pub(super) fn report(&self, outcome: Result<u16, Class>, sent: Instant, seen: Seen<'_>) {
        let quota = seen.headers.and_then(|headers| self.quota(headers));
        let requested = Requested {
            method: &self.call.method,
            path: &self.path,
            outcome,
            attempt: self.asked.attempts,
            duration: sent.elapsed(),
            bytes: seen.bytes,
            from_cache: seen.from_cache,
            quota,
        };
        tracing::debug!(?requested, "request");
        let settings = &self.shared.settings;
        settings.observer.see(&Event::Requested(requested));
    }
}

/// What an event reports of a response.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen<'h> {
    /// Of a response from the base URL's origin: other servers' quotas do not
    /// count.
    pub(super) headers: Option<&'h HeaderMap>,
    pub(super) bytes: u64,
    pub(super) from_cache: bool,
}
