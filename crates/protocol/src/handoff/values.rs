//! The types of values that are more than a word or a number: text that is
//! checked once and kept to the letter.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use super::leaf::{Form, Leaf};

/// The text is not what this kind of value looks like.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not accepted; expected {expected}")]
pub struct InvalidValue {
    pub text: String,
    pub expected: String,
}

/// Gives types that wrap checked text their `Leaf`, `FromStr` and `Display`.
macro_rules! checked_text {
    ($($type:ident: $form:expr, $check:expr;)*) => { $(
        impl $type {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Leaf for $type {
            fn parse(text: &str) -> Option<Self> {
                let check: fn(&str) -> bool = $check;
                check(text).then(|| Self(text.to_owned()))
            }

            fn text(&self) -> Cow<'_, str> {
                Cow::Borrowed(&self.0)
            }

            fn form() -> Form {
                $form
            }
        }

        impl FromStr for $type {
            type Err = InvalidValue;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse(text).ok_or_else(|| InvalidValue {
                    text: text.to_owned(),
                    expected: Self::form().expected(),
                })
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )* };
}

/// Text on one line: a branch, a path, a short remark. Not blank, without
/// control characters, and without white space around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line(String);

/// An `http` or `https` address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpUrl(String);

/// A moment in RFC 3339, kept as it was written (offset, fraction).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment(String);

/// A percentage such as `96%` or `87.5%`, kept as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Percentage(String);

/// A commit id or the beginning of one, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sha(String);

/// A place in the code, in the sender's words; usually `path:line`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location(String);

checked_text! {
    Line: Form::Line, is_line;
    HttpUrl: Form::Pattern {
        pattern: r"https?://[^ \t\r\n/?#][^ \t\r\n]*",
        expected: "an address that begins with https:// or http://",
    }, is_http_url;
    Moment: Form::Pattern {
        pattern: r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+\-][0-9]{2}:[0-9]{2})",
        expected: "a time in RFC 3339 such as `2031-05-06T07:08:09Z`",
    }, is_moment;
    Percentage: Form::Pattern {
        pattern: r"(100(\.0{1,6})?|[0-9]{1,2}(\.[0-9]{1,6})?)%",
        expected: "a percentage from 0 to 100 such as `96%`",
    }, is_percentage;
    Sha: Form::Pattern {
        pattern: "[0-9A-Fa-f]{4,64}",
        expected: "a commit id of 4 to 64 hexadecimal digits",
    }, is_sha;
    Location: Form::Text, |_| true;
}

impl HttpUrl {
    /// The number that an address such as `…/issues/12` or `…/pull/12/` ends
    /// with.
    pub fn trailing_number(&self) -> Option<NonZeroU64> {
        let path = self.0.trim_end_matches('/');
        path.rsplit('/').next().and_then(NonZeroU64::parse)
    }
}

impl Moment {
    pub fn timestamp(&self) -> jiff::Timestamp {
        self.0
            .parse()
            .expect("a moment is made only from text that parses")
    }
}

impl From<jiff::Timestamp> for Moment {
    /// A wire format has years of four digits, so a moment before the year 1
    /// becomes its beginning.
    fn from(timestamp: jiff::Timestamp) -> Self {
        let text = timestamp.to_string();
        Self::parse(&text).unwrap_or_else(|| Self("0001-01-01T00:00:00Z".to_owned()))
    }
}

impl Percentage {
    pub fn value(&self) -> f64 {
        self.0
            .trim_end_matches('%')
            .parse()
            .expect("a percentage is made only from digits")
    }
}

impl Location {
    /// The file, where the text is `path:line` or `path:line:column`; else
    /// the whole text.
    pub fn path(&self) -> &str {
        self.split().0
    }

    pub fn line(&self) -> Option<NonZeroU64> {
        self.split().1
    }

    fn split(&self) -> (&str, Option<NonZeroU64>) {
        let number_at_end = |text: &'_ str| {
            text.rsplit_once(':')
                .and_then(|(before, number)| Some((before.len(), NonZeroU64::parse(number)?)))
        };
        let Some((end, last)) = number_at_end(&self.0) else {
            return (&self.0, None);
        };
        match number_at_end(&self.0[..end]) {
            Some((end, line)) => (&self.0[..end], Some(line)),
            None => (&self.0[..end], Some(last)),
        }
    }
}

impl From<&str> for Location {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

fn is_line(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && !text.contains(char::is_control)
}

fn is_http_url(text: &str) -> bool {
    let address = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    address.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '?', '#']))
        && !text.contains(|character: char| character.is_whitespace() || character.is_control())
}

fn is_moment(text: &str) -> bool {
    // jiff reads more than RFC 3339 allows (a space for the `T`, a short
    // offset), and takes a leap second for the one before.
    let bytes = text.as_bytes();
    let offset_start = if text.ends_with('Z') {
        bytes.len().saturating_sub(1)
    } else {
        bytes.len().saturating_sub(6)
    };
    bytes.len() >= 20
        && matches_digits(&bytes[..19], b"0000-00-00T00:00:00")
        && bytes[..4] != *b"0000"
        && bytes[17] != b'6'
        && (bytes[offset_start] == b'Z' || matches_digits(&bytes[offset_start + 1..], b"00:00"))
        && text.get(19..offset_start).is_some_and(is_fraction)
        && text.parse::<jiff::Timestamp>().is_ok()
}

/// Whether text has digits where the pattern has zeros, and equals it elsewhere.
fn matches_digits(text: &[u8], pattern: &[u8]) -> bool {
    text.len() == pattern.len()
        && text.iter().zip(pattern).all(|(byte, expected)| {
            if *expected == b'0' {
                byte.is_ascii_digit()
            } else {
                byte == expected
            }
        })
}

fn is_fraction(text: &str) -> bool {
    text.is_empty()
        || text.strip_prefix('.').is_some_and(|digits| {
            (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
}

fn is_percentage(text: &str) -> bool {
    let Some(number) = text.strip_suffix('%') else {
        return false;
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str, most: usize| {
        (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    digits(fraction, 6)
        && (digits(whole, 2) || whole == "100" && fraction.bytes().all(|byte| byte == b'0'))
}

fn is_sha(text: &str) -> bool {
    (4..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use super::*;

    fn check<T: Leaf>(good: &[&str], bad: &[&str]) {
        for text in good {
            let value = T::parse(text).unwrap_or_else(|| panic!("{text:?} was refused"));
            assert_eq!(value.text(), *text);
        }
        for text in bad {
            assert!(T::parse(text).is_none(), "{text:?} was accepted");
        }
    }

    #[test]
    fn each_form_accepts_what_it_says_and_keeps_it_to_the_letter() {
        check::<u64>(
            &["0", "7", "18446744073709551615"],
            &[
                "",
                "-1",
                "+1",
                "01",
                "00",
                "1.0",
                " 1",
                "18446744073709551616",
                "٣",
            ],
        );
        check::<NonZeroU64>(&["1"], &["0"]);
        check::<NonZeroU16>(&["65535"], &["0", "65536"]);
        check::<bool>(&["true", "false"], &["True", "1", ""]);
        check::<Line>(&["a", "a b", "größe"], &["", " a", "a ", "a\nb", "a\u{7f}"]);
        check::<HttpUrl>(
            &["https://a", "http://127.0.0.1:3000/x?y#z"],
            &[
                "",
                "https://",
                "https:///x",
                "ftp://a",
                "https://a b",
                "HTTPS://a\n",
            ],
        );
        check::<Moment>(
            &[
                "2031-05-06T07:08:09Z",
                "2031-05-06T07:08:09.250Z",
                "2031-05-06T07:08:09-05:30",
            ],
            &[
                "",
                "2031-05-06",
                "2031-05-06T07:08:09",
                "2031-05-06 07:08:09Z",
                "2031-05-06T07:08:60Z",
                "2031-13-06T07:08:09Z",
                "2031-05-06T07:08:09.Z",
                "2031-05-06T07:08:09+05",
                "2031-05-06T07:08:09+05:30[Asia/Kolkata]",
                "0000-05-06T07:08:09Z",
                "2031-05-06T07:08:0日Z",
            ],
        );
        check::<Percentage>(
            &["0%", "96%", "87.5%", "100%", "100.00%"],
            &["", "%", "96", "101%", "100.1%", "-1%", "1e1%", ".5%", "5.%"],
        );
        check::<Sha>(
            &["abcd", "0123456789abcdefABCDEF"],
            &["", "abc", "xyz1", "abc "],
        );
        check::<Location>(&["", "anything at all\n"], &[]);
    }

    #[test]
    fn a_location_knows_its_path_and_line() {
        let of = |text: &str| {
            let location = Location::from(text);
            (
                location.path().to_owned(),
                location.line().map(NonZeroU64::get),
            )
        };
        assert_eq!(of("src/a.rs:12"), ("src/a.rs".to_owned(), Some(12)));
        assert_eq!(of("src/a.rs:12:7"), ("src/a.rs".to_owned(), Some(12)));
        assert_eq!(of("C:/a.rs"), ("C:/a.rs".to_owned(), None));
        assert_eq!(
            of("the whole module"),
            ("the whole module".to_owned(), None)
        );
    }

    #[test]
    fn a_url_knows_the_number_it_ends_with() {
        let of = |text: &str| {
            let url: HttpUrl = text.parse().unwrap();
            url.trailing_number().map(NonZeroU64::get)
        };
        assert_eq!(of("https://forge.test/a/b/issues/9"), Some(9));
        assert_eq!(of("https://forge.test/a/b/pull/9/"), Some(9));
        assert_eq!(of("https://forge.test/a/b/pull/9/files"), None);
    }
}
