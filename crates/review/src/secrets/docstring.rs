//! Finds Python docstrings: secrets in them are examples.

use std::ops::Range;

use memchr::{memchr, memmem};

/// Strings in three quotes in the place of a statement.
pub(super) fn docstrings(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at = match byte {
            b'#' => end_of_line(bytes, at),
            b'"' | b'\'' => {
                let end = end_of_string(bytes, at);
                if depth == 0 && is_triple(bytes, at) && begins_line(bytes, at) {
                    found.push(at..end);
                }
                end
            }
            b'(' | b'[' | b'{' => {
                depth += 1;
                at + 1
            }
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                at + 1
            }
            _ => at + 1,
        };
    }
    found
}

fn is_triple(bytes: &[u8], at: usize) -> bool {
    let quote = bytes[at];
    bytes.get(at..at + 3) == Some(&[quote; 3])
}

/// Only blanks and the letters before a raw string precede it on its line.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1);
    bytes[start..at]
        .iter()
        .all(|byte| b" \trRuUbB".contains(byte))
}

fn end_of_string(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    if is_triple(bytes, at) {
        let inside = at + 3;
        return memmem::find(&bytes[inside..], &[quote; 3])
            .map_or(bytes.len(), |end| inside + end + 3);
    }
    let mut next = at + 1;
    while let Some(&byte) = bytes.get(next) {
        match byte {
            b'\\' => next += 2,
            b'\n' => return next,
            _ if byte == quote => return next + 1,
            _ => next += 1,
        }
    }
    bytes.len()
}

fn end_of_line(bytes: &[u8], at: usize) -> usize {
    memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |newline| at + newline)
}

#[cfg(test)]
mod tests {
    use super::docstrings;

    fn found(text: &str) -> Vec<&str> {
        let ranges = docstrings(text.as_bytes());
        ranges.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_string_that_is_a_statement_documents() {
        let text = "\"\"\"About.\"\"\"\ndef f():\n    r'''More \"x\".'''\n    return 1\n";
        assert_eq!(found(text), ["\"\"\"About.\"\"\"", "'''More \"x\".'''"]);
    }

    #[test]
    fn a_string_that_is_used_does_not() {
        let text = "x = \"\"\"a\"\"\"\nf(\n  \"\"\"b\"\"\"\n)\n# \"\"\"\ny = '\"\"\"'\n";
        assert!(found(text).is_empty());
    }

    #[test]
    fn an_open_end_is_the_end_of_the_file() {
        assert_eq!(found("'''open"), ["'''open"]);
        assert!(found("'open\\").is_empty());
    }
}
