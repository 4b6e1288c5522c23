//! The one place where a name becomes part of a command line.

use std::borrow::Cow;

/// `name` as one word of a POSIX shell command, or `None` when no quoting
/// would make it harmless: a leading dash would be read as an option by the
/// program, and control characters have no place in a command that people are
/// shown.
pub(crate) fn shell_word(name: &str) -> Option<Cow<'_, str>> {
    if name.is_empty() || name.starts_with('-') || name.chars().any(char::is_control) {
        return None;
    }
    if name.chars().all(is_plain) {
        return Some(Cow::Borrowed(name));
    }
    Some(Cow::Owned(format!("'{}'", name.replace('\'', r"'\''"))))
}

/// Characters that mean nothing to a shell anywhere in a word.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(character, '_' | '-' | '.' | '/' | '@' | ':' | '+' | ',')
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn plain_names_stay_readable_and_the_rest_is_quoted() {
        assert_eq!(shell_word("@scope/pump-2.x").unwrap(), "@scope/pump-2.x");
        assert_eq!(shell_word("a b;$(c)").unwrap(), "'a b;$(c)'");
        assert_eq!(shell_word("it's").unwrap(), r"'it'\''s'");
        assert_eq!(shell_word("~root").unwrap(), "'~root'");
    }

    #[test]
    fn names_that_no_quoting_helps_are_refused() {
        for name in ["", "-rf", "a\nb", "nul\0"] {
            assert_eq!(shell_word(name), None, "{name:?}");
        }
    }
}
