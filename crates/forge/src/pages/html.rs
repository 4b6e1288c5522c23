//! Text that is HTML already, and the ways to get there.

use std::fmt;

use askama::filters::HtmlSafe;

/// Markup that the forge made itself. Templates write it as it is; all other
/// text is escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Html(String);

impl Html {
    /// For markup whose every foreign part has been escaped.
    pub(super) fn trusted(markup: String) -> Self {
        Self(markup)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HtmlSafe for Html {}

/// Text that reads as it is stored: characters that turn the direction of what
/// follows around, by which code and titles can be made to lie, are replaced.
pub(super) fn visible(text: &str) -> String {
    let is_direction = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
    text.chars()
        .map(|c| if is_direction(c) { '\u{fffd}' } else { c })
        .collect()
}

/// For markup that is written by hand.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A segment of a path, or several with slashes between them, for an address.
pub(super) fn in_path(text: &str) -> String {
    use std::fmt::Write as _;
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' | b'@' => {
                encoded.push(char::from(byte));
            }
            other => {
                let _ = write!(encoded, "%{other:02X}");
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_cannot_be_turned() {
        assert_eq!(visible("a\u{202e}b\u{2066}c"), "a\u{fffd}b\u{fffd}c");
    }

    #[test]
    fn names_become_parts_of_addresses() {
        assert_eq!(in_path("fix/issue-1"), "fix/issue-1");
        assert_eq!(in_path("a b#?\"<ü"), "a%20b%23%3F%22%3C%C3%BC");
    }
}
