//! Which characters and names XML allows.

/// The first character that no XML document may contain, and its byte offset.
pub(crate) fn first_forbidden(text: &str) -> Option<(usize, char)> {
    // Controls are single bytes and the two non-characters share their first
    // byte, so the common case is one pass over bytes without decoding.
    let suspicious = |byte: &u8| *byte < 0x20 || *byte == 0xEF;
    let mut from = 0;
    while let Some(step) = text.as_bytes()[from..].iter().position(suspicious) {
        let offset = from + step;
        let character = text[offset..].chars().next()?;
        if !is_allowed(character) {
            return Some((offset, character));
        }
        from = offset + character.len_utf8();
    }
    None
}

/// `Char` of XML 1.0. Surrogates cannot occur in a `char`.
pub(super) fn is_allowed(character: char) -> bool {
    !matches!(character, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// `Name` of XML 1.0.
pub(crate) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(starts_name) && characters.all(continues_name)
}

fn starts_name(character: char) -> bool {
    matches!(character,
        ':' | 'A'..='Z' | '_' | 'a'..='z'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}'
        | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

fn continues_name(character: char) -> bool {
    starts_name(character)
        || matches!(character,
            '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

/// White space as XML understands it, which is less than Unicode's.
fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}

pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

pub(crate) fn trim_space(text: &str) -> &str {
    text.trim_matches(is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forbidden_characters_are_found_with_their_offset() {
        assert_eq!(first_forbidden("plain\ttext\r\n"), None);
        assert_eq!(first_forbidden("日本 \u{FFFD} ﬀ"), None);
        assert_eq!(first_forbidden("日\u{1}"), Some((3, '\u{1}')));
        assert_eq!(first_forbidden("ﬀ\u{FFFE}"), Some((3, '\u{FFFE}')));
        assert_eq!(first_forbidden("a\u{FFFF}"), Some((1, '\u{FFFF}')));
    }

    #[test]
    fn names_follow_the_xml_grammar() {
        for name in [
            "a",
            "_a",
            "issue_number",
            "workflow-complete",
            "x:y",
            "größe",
            "a.1",
        ] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "1a", "-a", "a b", "a<b", "a/", "\u{300}a", "a\""] {
            assert!(!is_name(name), "{name}");
        }
    }
}
