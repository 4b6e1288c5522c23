//! JSON as editors let people write it: with comments and commas too many.

use serde_json::Value;

/// `None` where it is no JSON even so.
pub(super) fn parse(text: &str) -> Option<Value> {
    serde_json::from_str(text)
        .or_else(|_| serde_json::from_str(&strict(text)))
        .ok()
}

/// The same text without comments, and without commas before a closing bracket.
fn strict(text: &str) -> String {
    let mut strict = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(next) = rest.chars().next() {
        let taken = match next {
            '"' => string_length(rest),
            '/' if rest.starts_with("//") => {
                rest = rest.find('\n').map_or("", |end| &rest[end..]);
                continue;
            }
            '/' if rest.starts_with("/*") => {
                rest = rest[2..].find("*/").map_or("", |end| &rest[end + 4..]);
                continue;
            }
            _ => next.len_utf8(),
        };
        if matches!(next, '}' | ']') {
            let kept = strict.trim_end().trim_end_matches(',').len();
            strict.truncate(kept);
        }
        strict.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    strict
}

/// Of the string that the text begins with, quotes included.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (place, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return place + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_and_commas_are_taken_out_of_code_and_left_in_strings() {
        let text = "\u{feff}{ // one\n \"a\": \"// not /* a */ comment \\\" ,}\", /* two\n */ \"b\": [1, 2,],\n}";
        assert_eq!(
            parse(text),
            Some(json!({ "a": "// not /* a */ comment \" ,}", "b": [1, 2] }))
        );
    }

    #[test]
    fn what_is_no_json_is_nothing() {
        for text in ["", "{", "\"", "/*", "/", "{\"a\": \"\\", "// only"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
