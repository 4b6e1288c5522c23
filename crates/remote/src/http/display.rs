//! How foreign text, URLs and times are displayed.

use std::time::Duration;

use reqwest::Url;

use super::rate_limit::{RateLimit, RateLimitKind};

/// In characters: enough for a sentence and its neighbour.
const EXCERPT: usize = 200;

/// In characters: paths of files in repositories are long.
const URL: usize = 500;

/// The beginning of foreign text on one line, without characters that could
/// imitate colours, further lines or other text.
pub(crate) fn excerpt(text: &str) -> String {
    excerpt_within(text, EXCERPT)
}

fn excerpt_within(text: &str, limit: usize) -> String {
    let mut output = String::new();
    let mut left = limit;
    for word in text.split_whitespace() {
        let space = if output.is_empty() { "" } else { " " };
        for character in space.chars().chain(word.chars()) {
            if left == 0 {
                output.truncate(output.trim_end().len());
                output.push('…');
                return output;
            }
            left -= 1;
            push_harmless(&mut output, character);
        }
    }
    output
}

fn push_harmless(output: &mut String, character: char) {
    let turns = matches!(character, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    if character.is_control() || turns {
        output.extend(character.escape_default());
    } else {
        output.push(character);
    }
}

/// Without credentials and fragment; query values that may be secrets are
/// stars.
pub(super) fn url(url: &Url) -> String {
    let mut output = target(url);
    for (index, (name, value)) in url.query_pairs().enumerate() {
        output.push(if index == 0 { '?' } else { '&' });
        output.push_str(&name);
        output.push('=');
        output.push_str(if may_be_secret(&name) { "***" } else { &value });
    }
    output
}

pub(super) fn shortened_url(url: &str) -> String {
    excerpt_within(url, URL)
}

/// Whether a query parameter's name suggests a secret.
fn may_be_secret(name: &str) -> bool {
    const SIGNS: [&str; 9] = [
        "auth",
        "code",
        "credential",
        "key",
        "pass",
        "secret",
        "session",
        "sig",
        "token",
    ];
    let name = name.to_ascii_lowercase();
    SIGNS.iter().any(|sign| name.contains(sign))
}

/// Without the query: signed URLs contain permissions.
pub(super) fn target(url: &Url) -> String {
    format!("{}{}", origin(url), url.path())
}

/// Scheme, host and port.
pub(super) fn origin(url: &Url) -> String {
    format!("{}://{}", url.scheme(), server(url))
}

/// Host and, if it is not the usual one, port.
pub(super) fn server(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// For people: `1 h 5 min`, `12 s`, `1.5 s`, `200 ms`.
pub(super) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0 => format!("{} ms", duration.as_millis()),
        1..10 if duration.subsec_millis() > 0 => format!("{:.1} s", duration.as_secs_f64()),
        1..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// `200 bytes`, `64 KiB`, `1.5 MiB`.
pub(super) fn bytes(bytes: u64) -> String {
    let mebibytes = bytes >> 20;
    match bytes {
        0..10_240 => format!("{bytes} bytes"),
        10_240..1_048_576 => format!("{} KiB", bytes >> 10),
        _ if mebibytes < 10 => format!("{mebibytes}.{} MiB", ((bytes % (1 << 20)) * 10) >> 20),
        _ => format!("{mebibytes} MiB"),
    }
}

pub(crate) fn rate_limit(limit: &RateLimit) -> String {
    let mut output = match limit.kind {
        RateLimitKind::Primary => format!("the quota `{}` is used up", excerpt(&limit.resource)),
        RateLimitKind::Secondary => {
            "the server wants fewer requests (secondary rate limit)".to_owned()
        }
    };
    if let Some(pause) = limit.retry_after {
        output.push_str("; it may be asked again in ");
        output.push_str(&duration(pause));
    }
    output
}

pub(super) fn not_json(html: bool, excerpt: &str) -> String {
    let what = if html {
        "an HTML page came instead of JSON"
    } else {
        "the answer is not JSON"
    };
    if excerpt.is_empty() {
        format!("{what}; it is empty")
    } else {
        format!("{what}; it begins: {excerpt}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn excerpts_are_one_harmless_line() {
        assert_eq!(
            excerpt("  a\n\tb\u{1b}[31m \u{202e}c "),
            "a b\\u{1b}[31m \\u{202e}c"
        );
        assert_eq!(excerpt(&"x".repeat(200)), "x".repeat(200));
        assert_eq!(excerpt(&"x".repeat(201)), format!("{}…", "x".repeat(200)));
    }

    #[test]
    fn urls_keep_their_secrets() {
        let output = |text| url(&Url::parse(text).unwrap());
        insta::assert_snapshot!(
            output("https://u:p@h:8443/a%20b?page=2&access_token=x&X-Amz-Signature=y#f"),
            @"https://h:8443/a%20b?page=2&access_token=***&X-Amz-Signature=***"
        );
    }

    #[test]
    fn durations_are_readable() {
        let output = |milliseconds| duration(Duration::from_millis(milliseconds));
        assert_eq!(
            [
                0, 250, 1_500, 12_000, 119_999, 120_000, 3_599_000, 7_500_000
            ]
            .map(output),
            [
                "0 ms",
                "250 ms",
                "1.5 s",
                "12 s",
                "119 s",
                "2 min",
                "60 min",
                "2 h 5 min"
            ]
        );
    }

    #[test]
    fn sizes_are_readable() {
        assert_eq!(
            [0, 10_239, 64 << 10, 1 << 20, (1 << 20) * 3 / 2, 32 << 20].map(bytes),
            [
                "0 bytes",
                "10239 bytes",
                "64 KiB",
                "1.0 MiB",
                "1.5 MiB",
                "32 MiB"
            ]
        );
    }

    proptest! {
        #[test]
        fn no_control_character_gets_through(text in any::<String>()) {
            let output = excerpt(&text);
            prop_assert!(!output.chars().any(char::is_control));
            prop_assert!(output.chars().count() <= 10 * EXCERPT + 1);
        }
    }
}
