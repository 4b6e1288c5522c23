//! The one place where a name becomes part of a command line.

use std::borrow::Cow;

/// `name` as one word of a POSIX shell command, or `None` when no quoting would
/// make it harmless: a leading dash would be read as an option by the program,
/// and control characters have no place in a command that is displayed.
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
    use proptest::prelude::*;

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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// A real shell hands every accepted name on unchanged, as one word.
        #[test]
        fn a_shell_sees_one_word(names in prop::collection::vec(hostile_name(), 1..20)) {
            let accepted: Vec<&String> =
                names.iter().filter(|name| shell_word(name).is_some()).collect();
            let words: Vec<_> = accepted.iter().map(|name| shell_word(name).unwrap()).collect();
            let command = format!("printf '%s\\n' {}", words.join(" "));
            let expected = accepted.iter().fold(String::new(), |text, name| text + name + "\n");
            prop_assume!(!accepted.is_empty());
            prop_assert_eq!(run(&command), expected);
        }
    }

    /// Mostly what a shell reads as syntax.
    fn hostile_name() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "'", "\"", "`", "$(", ")", "${x}", ";", "|", "&", "<", ">", "\\", "!", "#", "~", "*",
            "?", "[", "]", "{a,b}", " ", "\t", "\n", "=", "%s", "-", "a", "é", "\u{202e}", "\0",
        ]);
        prop_oneof![
            prop::collection::vec(pieces, 1..8).prop_map(|pieces| pieces.concat()),
            any::<String>(),
        ]
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the test needs nothing but a shell and its output"
    )]
    fn run(command: &str) -> String {
        let output = std::process::Command::new("sh")
            .args(["-c", command])
            .output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    }
}
