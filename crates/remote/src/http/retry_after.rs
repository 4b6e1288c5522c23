//! `Retry-After` headers and the dates of HTTP (RFC 9110).

use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// How long to wait: the header has seconds, or a date, which is compared with
/// `now`. A date that has passed means no wait.
pub fn parse(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    if !header.is_empty() && header.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number with too many digits is a very long time.
        return Some(Duration::from_secs(header.parse().unwrap_or(u64::MAX)));
    }
    let pause = date(header)?.duration_since(now);
    Some(pause.try_into().unwrap_or(Duration::ZERO))
}

/// A date in any of the three forms that HTTP knows.
pub fn date(header: &str) -> Option<Timestamp> {
    const RFC_850: &str = "%A, %d-%b-%y %H:%M:%S GMT";
    const ASCTIME: &str = "%a %b %e %H:%M:%S %Y";
    let header = header.trim();
    if let Ok(date) = jiff::fmt::rfc2822::parse(header) {
        return Some(date.timestamp());
    }
    [RFC_850, ASCTIME].iter().find_map(|form| {
        let date = DateTime::strptime(form, header).ok()?;
        Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn now() -> Timestamp {
        "1994-11-06T08:49:00Z".parse().unwrap()
    }

    #[test]
    fn seconds_and_all_forms_of_dates_are_read() {
        let seconds = |header| parse(header, now()).map(|pause| pause.as_secs());
        assert_eq!(seconds("120"), Some(120));
        assert_eq!(seconds(" 0 "), Some(0));
        assert_eq!(seconds("99999999999999999999999"), Some(u64::MAX));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(37));
        assert_eq!(seconds("Sunday, 06-Nov-94 08:49:37 GMT"), Some(37));
        assert_eq!(seconds("Sun Nov  6 08:49:37 1994"), Some(37));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:48:00 GMT"), Some(0));
        for nonsense in ["", "-1", "1.5", "soon", "Sun, 99 Nov 1994 08:49:37 GMT"] {
            assert_eq!(seconds(nonsense), None, "{nonsense}");
        }
    }

    proptest! {
        #[test]
        fn anything_is_survived(header in any::<String>()) {
            parse(&header, now());
        }

        #[test]
        fn what_looks_like_dates_is_survived(header in "[A-Z][a-z]{2},? [0-9]{1,2}[ -][A-Z][a-z]{2}[ -][0-9]{2,5} [0-9:]{8} (GMT|[+-][0-9]{4})") {
            parse(&header, now());
        }

        #[test]
        fn dates_in_the_future_give_the_exact_wait(seconds in 0_u32..1_000_000_000) {
            let pause = Duration::from_secs(seconds.into());
            let at = now().checked_add(pause).unwrap();
            let header = at.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
            prop_assert_eq!(parse(&header, now()), Some(pause));
        }
    }
}
