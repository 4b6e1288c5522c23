//! Times, as people say them.

use std::fmt;

use askama::filters::HtmlSafe;
use jiff::Timestamp;

/// A time with how long ago it was; the exact time is in its title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moment {
    at: Timestamp,
    now: Timestamp,
}

impl Moment {
    /// From a row. What is no time is the beginning of all of it.
    pub(super) fn new(text: &str, now: Timestamp) -> Self {
        Self {
            at: text.parse().unwrap_or(Timestamp::UNIX_EPOCH),
            now,
        }
    }

    fn ago(&self) -> String {
        let seconds = self.now.as_second() - self.at.as_second();
        let (count, unit) = match seconds {
            ..45 => return "just now".to_owned(),
            45..3600 => ((seconds + 30) / 60, "minute"),
            3600..86_400 => (seconds / 3600, "hour"),
            86_400..2_592_000 => (seconds / 86_400, "day"),
            _ => return self.at.strftime("on %-d %b %Y").to_string(),
        };
        let count = count.max(1);
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {unit}{plural} ago")
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = self.at.strftime("%Y-%m-%dT%H:%M:%SZ");
        let shown = self.at.strftime("%-d %B %Y, %H:%M:%S UTC");
        let ago = self.ago();
        write!(
            f,
            r#"<time datetime="{exact}" title="{shown}">{ago}</time>"#
        )
    }
}

impl HtmlSafe for Moment {}

/// How long something took: `1m 20s`.
pub(super) fn lasted(start: Option<&str>, end: Option<&str>) -> Option<String> {
    let start: Timestamp = start?.parse().ok()?;
    let end: Timestamp = end?.parse().ok()?;
    let seconds = (end.as_second() - start.as_second()).max(0);
    Some(match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {}s", seconds / 60, seconds % 60),
        _ => format!("{}h {}m", seconds / 3600, seconds % 3600 / 60),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_people_say_them() {
        let now: Timestamp = "2026-03-10T12:00:00Z".parse().unwrap();
        let ago = |text| Moment::new(text, now).ago();
        assert_eq!(ago("2026-03-10T11:59:50Z"), "just now");
        assert_eq!(ago("2026-03-10T11:59:00Z"), "1 minute ago");
        assert_eq!(ago("2026-03-10T09:30:00Z"), "2 hours ago");
        assert_eq!(ago("2026-03-08T12:00:00Z"), "2 days ago");
        assert_eq!(ago("2025-12-01T12:00:00Z"), "on 1 Dec 2025");
        assert_eq!(ago("2026-03-11T12:00:00Z"), "just now");
        assert_eq!(ago("nonsense"), "on 1 Jan 1970");
    }

    #[test]
    fn spans_are_short() {
        let lasted = |start, end| lasted(Some(start), Some(end)).unwrap();
        assert_eq!(lasted("2026-03-10T12:00:00Z", "2026-03-10T12:00:07Z"), "7s");
        assert_eq!(
            lasted("2026-03-10T12:00:00Z", "2026-03-10T12:01:20Z"),
            "1m 20s"
        );
        assert_eq!(
            lasted("2026-03-10T12:00:00Z", "2026-03-10T14:05:00Z"),
            "2h 5m"
        );
    }
}
