//! The values of literals.

/// The value of an integer literal in any of the languages.
pub(super) fn integer(text: &str) -> Option<i64> {
    let plain: String = text
        .trim_end_matches(['l', 'L', 'n'])
        .chars()
        .filter(|character| *character != '_')
        .collect();
    let lower = plain.to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = lower.strip_prefix(prefix) {
            return i64::from_str_radix(digits, radix).ok();
        }
    }
    // In Go, Ruby and C-like languages a leading zero means octal.
    if lower.len() > 1 && lower.starts_with('0') && lower.bytes().all(|b| b.is_ascii_digit()) {
        return i64::from_str_radix(&lower, 8).ok();
    }
    let digits = lower
        .find(|character: char| !character.is_ascii_digit())
        .map_or(lower.as_str(), |end| &lower[..end]);
    // `1.5` and `1e3` are numbers, but no integers.
    if lower[digits.len()..].starts_with(['.', 'e']) {
        return None;
    }
    digits.parse().ok()
}

/// The character of an escape sequence, as far as it matters.
pub(super) fn unescape(text: &str) -> String {
    match text {
        "\\n" => "\n".to_owned(),
        "\\t" => "\t".to_owned(),
        "\\r" => "\r".to_owned(),
        "\\0" => "\0".to_owned(),
        other => other.strip_prefix('\\').unwrap_or(other).to_owned(),
    }
}

/// Without the quotes of whichever kind.
pub(super) fn unquoted(text: &str) -> &str {
    text.trim_matches(|character| matches!(character, '"' | '\'' | '`'))
}
