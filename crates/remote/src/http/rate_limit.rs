//! Rate limits: refusals and remaining quotas.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

use super::event::Quota;
use super::retry_after;

/// The kind of limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateLimitKind {
    /// The quota of an hour is used up.
    Primary,
    /// Too many requests at once or in a short time, while quota remains.
    Secondary,
}

/// A refusal to answer for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateLimit {
    pub kind: RateLimitKind,
    /// How long to wait, if that is known.
    pub retry_after: Option<Duration>,
    /// When the quota resets, by this machine's clock, if that is known.
    pub reset: Option<Timestamp>,
    /// The quota's name.
    pub resource: String,
}

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const RESOURCE: HeaderName = HeaderName::from_static("x-ratelimit-resource");

/// The remaining quota, according to a response. `resource` is the quota's name
/// where the response has none.
pub(super) fn quota<'h>(
    headers: &'h HeaderMap,
    resource: &'h str,
    now: Timestamp,
) -> Option<Quota<'h>> {
    let remaining = number(headers, &REMAINING)?;
    Some(Quota {
        resource: text(headers, &RESOURCE).unwrap_or(resource),
        remaining,
        limit: number(headers, &LIMIT),
        reset: reset(headers, now),
    })
}

/// How long the server asks to wait, by its `Retry-After` header.
pub(super) fn wanted_pause(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    retry_after::parse(text(headers, &RETRY_AFTER)?, server_time(headers, now))
}

/// Whether a refusal is a rate limit, and when it ends.
pub(super) fn refused(
    status: u16,
    headers: &HeaderMap,
    body: &[u8],
    resource: &str,
    now: Timestamp,
) -> Option<RateLimit> {
    if !matches!(status, 403 | 429) {
        return None;
    }
    let spent = number(headers, &REMAINING) == Some(0);
    let named = names_secondary_limit(body);
    let kind = if spent && !named {
        RateLimitKind::Primary
    } else if status == 429 || named || headers.contains_key(RETRY_AFTER) {
        RateLimitKind::Secondary
    } else {
        return None;
    };
    Some(limit_of(kind, headers, resource, now))
}

/// A limit of which only the kind is known for certain.
pub(super) fn limit_of(
    kind: RateLimitKind,
    headers: &HeaderMap,
    resource: &str,
    now: Timestamp,
) -> RateLimit {
    let reset = reset(headers, now);
    let until_reset = match kind {
        RateLimitKind::Primary => reset.map(|reset| until(reset, now)),
        RateLimitKind::Secondary => None,
    };
    RateLimit {
        kind,
        retry_after: wanted_pause(headers, now).or(until_reset),
        reset,
        resource: text(headers, &RESOURCE).unwrap_or(resource).to_owned(),
    }
}

/// From `now`; nothing for a moment that has passed.
pub(super) fn until(moment: Timestamp, now: Timestamp) -> Duration {
    moment.duration_since(now).try_into().unwrap_or_default()
}

/// GitHub names it in its message, and does not always send `Retry-After`.
fn names_secondary_limit(body: &[u8]) -> bool {
    ["secondary rate limit", "abuse detection"]
        .iter()
        .any(|sign| {
            body.windows(sign.len())
                .any(|window| window.eq_ignore_ascii_case(sign.as_bytes()))
        })
}

/// When the quota resets, by our clock: the server reports it by its own, and
/// either clock may be wrong.
fn reset(headers: &HeaderMap, now: Timestamp) -> Option<Timestamp> {
    let seconds = number(headers, &RESET)?;
    let reset = Timestamp::from_second(i64::try_from(seconds).ok()?).ok()?;
    let ahead = server_time(headers, now).duration_since(now);
    reset.checked_sub(ahead).ok()
}

/// The server's time, if it sends one.
fn server_time(headers: &HeaderMap, now: Timestamp) -> Timestamp {
    text(headers, &DATE)
        .and_then(retry_after::date)
        .unwrap_or(now)
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

fn number(headers: &HeaderMap, name: &HeaderName) -> Option<u64> {
    text(headers, name)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2031-05-04T10:00:00Z".parse().unwrap()
    }

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        lines
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
            .collect()
    }

    fn seen(
        status: u16,
        lines: &[(&'static str, &str)],
        body: &str,
    ) -> Option<(RateLimitKind, Option<u64>)> {
        let limit = refused(status, &headers(lines), body.as_bytes(), "core", now())?;
        Some((limit.kind, limit.retry_after.map(|pause| pause.as_secs())))
    }

    #[test]
    fn the_two_limits_are_distinguished() {
        use RateLimitKind::{Primary, Secondary};
        let in_ten_minutes = (now().as_second() + 600).to_string();
        let spent = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", &*in_ten_minutes),
        ];
        let left = [("x-ratelimit-remaining", "4000"), ("retry-after", "30")];
        let message = r#"{"message": "You have exceeded a Secondary Rate Limit."}"#;

        assert_eq!(seen(403, &spent, ""), Some((Primary, Some(600))));
        assert_eq!(seen(429, &spent, ""), Some((Primary, Some(600))));
        assert_eq!(seen(403, &left, ""), Some((Secondary, Some(30))));
        assert_eq!(seen(429, &left, ""), Some((Secondary, Some(30))));
        assert_eq!(seen(403, &[], message), Some((Secondary, None)));
        assert_eq!(seen(403, &spent, message), Some((Secondary, None)));
        assert_eq!(seen(429, &[], ""), Some((Secondary, None)));
        assert_eq!(seen(403, &[("x-ratelimit-remaining", "4000")], "no"), None);
        assert_eq!(seen(404, &spent, message), None);
        assert_eq!(seen(503, &left, ""), None);
    }

    #[test]
    fn a_wrong_clock_does_not_matter() {
        // The server's clock is an hour ahead of ours.
        let lines = [
            ("date", "Sun, 04 May 2031 11:00:00 GMT"),
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "1935658860"),
        ];
        let limit = refused(403, &headers(&lines), b"", "core", now()).unwrap();
        assert_eq!(limit.retry_after, Some(Duration::from_mins(1)));
        assert_eq!(limit.reset, Some("2031-05-04T10:01:00Z".parse().unwrap()));
    }

    #[test]
    fn invalid_headers_are_ignored() {
        let lines = [
            ("x-ratelimit-remaining", "many"),
            ("x-ratelimit-reset", "99999999999999999999"),
        ];
        assert_eq!(quota(&headers(&lines), "core", now()), None);
        let lines = [
            ("x-ratelimit-remaining", "5"),
            ("x-ratelimit-reset", "9223372036854775807"),
        ];
        assert_eq!(
            quota(&headers(&lines), "core", now()),
            Some(Quota {
                resource: "core",
                remaining: 5,
                limit: None,
                reset: None
            })
        );
    }
}
