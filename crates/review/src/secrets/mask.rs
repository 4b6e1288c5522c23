//! Masks secrets for display.

use std::borrow::Cow;

use super::paths::Surroundings;
use crate::budget::Budget;

/// This many characters are enough to recognise the secret.
const VISIBLE_CHARS: usize = 4;

/// The first characters and the length: `ghp_… (40 characters)`.
pub(super) fn mask(secret: &str) -> String {
    let length = secret.chars().count();
    // Of a short password even four characters would be half.
    let visible: String = secret
        .chars()
        .take(VISIBLE_CHARS.min(length / 4))
        .take_while(char::is_ascii_graphic)
        .collect();
    format!("{visible}… ({length} characters)")
}

/// A text with every secret in it masked.
pub fn masked(text: &str) -> Cow<'_, str> {
    let hits = super::hits(
        text.as_bytes(),
        "",
        Surroundings::Product,
        &Budget::unlimited(),
    );
    if hits.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut from = 0;
    for hit in hits {
        // The patterns match ASCII next to the secret, so both ends are between characters.
        let (start, end) = (
            text.floor_char_boundary(hit.range.start),
            text.ceil_char_boundary(hit.range.end),
        );
        safe.push_str(&text[from..start]);
        safe.push_str(&mask(&text[start..end]));
        from = end;
    }
    safe.push_str(&text[from..]);
    Cow::Owned(safe)
}

/// A line of code with a secret at an unknown place: everything quoted or
/// assigned is hidden.
pub(crate) fn hidden(line: &str) -> String {
    let quoted = without_quoted(line);
    if quoted != line {
        return quoted;
    }
    match line.find(['=', ':']) {
        Some(at) => format!("{} ***", &line[..=at]),
        None => "***".to_owned(),
    }
}

/// A message about such a line, without what it quotes.
pub(crate) fn without_quoted(text: &str) -> String {
    let Some((start, quote)) = text
        .char_indices()
        .find(|(_, letter)| matches!(letter, '"' | '\'' | '`'))
    else {
        return text.to_owned();
    };
    // A secret may hold the quote itself, so the last one counts.
    let end = text.rfind(quote).filter(|end| *end > start);
    let rest = end.map_or("", |end| &text[end..]);
    format!("{}***{rest}", &text[..=start])
}

#[cfg(test)]
mod tests {
    use super::{hidden, without_quoted};

    #[test]
    fn nothing_that_may_be_secret_is_left() {
        assert_eq!(hidden("password = 'it's'"), "password = '***'");
        assert_eq!(hidden("PASSWORD=abc"), "PASSWORD= ***");
        assert_eq!(hidden("abc"), "***");
        assert_eq!(without_quoted("a password: 'abc"), "a password: '***");
        assert_eq!(without_quoted("a password"), "a password");
    }
}
