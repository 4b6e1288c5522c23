//! Detects regular expressions that backtrack catastrophically.
//!
//! An expression is read into a tree, the tree becomes an automaton whose states
//! are the places of characters in it, and a state from which two different ways
//! lead back to itself over the same text doubles the work with every repetition
//! of that text. It only hurts where the match then fails, so a text that makes
//! it fail must exist as well.

mod ambiguity;
mod automaton;
mod class;
mod parse;
mod set;

/// How an expression is meant.
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the expression's language"
)]
pub(crate) struct Flags {
    /// The dot matches line breaks too.
    pub(crate) dot_all: bool,
    pub(crate) ignore_case: bool,
    /// Spaces and comments in the expression mean nothing.
    pub(crate) verbose: bool,
    /// The whole text must match, not a part of it.
    pub(crate) whole: bool,
}

/// Longer expressions are not judged.
const MAX_PATTERN_LEN: usize = 2_000;

/// Whether some texts take exponential time to be refused.
pub(crate) fn is_exponential(pattern: &str, flags: Flags) -> bool {
    if pattern.len() > MAX_PATTERN_LEN || !repeats_twice(pattern) {
        return false;
    }
    let Some(tree) = parse::parse(pattern, flags) else {
        return false;
    };
    let Some(automaton) = automaton::Automaton::new(&tree, flags.whole) else {
        return false;
    };
    ambiguity::can_hang(&automaton)
}

/// A group that is repeated is what it takes; most expressions have none.
fn repeats_twice(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    bytes
        .windows(2)
        .any(|pair| pair[0] == b')' && matches!(pair[1], b'*' | b'+' | b'{'))
}

#[cfg(test)]
mod tests {
    use super::{Flags, is_exponential};

    fn hangs(pattern: &str) -> bool {
        is_exponential(pattern, Flags::default())
    }

    #[test]
    fn two_ways_over_the_same_text() {
        for pattern in [
            "^(a+)+$",
            "^(a*)*$",
            "(a|a)*b",
            "(a|aa?)*b",
            "(a?a?)*b",
            "^([a-z]+)*$",
            r"(\d|\w)*x",
            r"(?:.|[^a])*!",
            r#"^(?:"(?:[^"\\]|\\\\|\\.)+")?$"#,
            r"^((ab)+)*$",
            r"foo([\w-]*)+bar",
            r"(x+x+)+y",
            r"^(\w+\s?)*$",
            r"(.*,)*end",
            r"(\s|[\f])*!",
        ] {
            assert!(hangs(pattern), "{pattern} is exponential");
        }
    }

    #[test]
    fn one_way_or_no_way_to_fail() {
        for pattern in [
            "^[a-z]+$",
            "^(ab)*$",
            "^(a|b)*$",
            "(a+)+",
            "(a|a)*",
            r"^(\d+,)*\d+$",
            r"^(?:\w+\.)+\w+$",
            r#"^"(?:[^"\\]|\\.)*"$"#,
            r"^(\s*\w+\s*=)?$",
            r"^[\w.]+(?:-[\w.]+)*$",
            r"^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,6}$",
            r"(a+)+a",
            "(unclosed",
            "[z-a]+(b)*",
        ] {
            assert!(!hangs(pattern), "{pattern} is not exponential");
        }
    }

    #[test]
    fn flags_change_what_characters_mean() {
        let newline = r"(.|\n)*!";
        assert!(!hangs(newline));
        let flags = Flags {
            dot_all: true,
            ..Flags::default()
        };
        assert!(is_exponential(newline, flags));
        assert!(hangs(r"(?s)(.|\n)*!"));
        assert!(!hangs("(a|A)*b"));
        assert!(hangs("(?i)(a|A)*b"));
        assert!(!hangs("(a+)+"));
        let whole = Flags {
            whole: true,
            ..Flags::default()
        };
        assert!(is_exponential("(a+)+", whole));
        assert!(hangs("(?x) ( a+ # one\n )+ $"));
    }

    #[test]
    fn hostile_expressions_end() {
        assert!(!hangs(&"(".repeat(1_000)));
        assert!(!hangs(&"(a?){9}".repeat(200)));
        hangs(&"((a|b){1,9}){1,9}".repeat(50));
        hangs(&format!("({})*$", ["[a-z]*"; 60].join("|")));
        let empty = format!("{}{}x", "(?:".repeat(39), "){2}".repeat(39));
        assert!(!hangs(&empty));
        assert!(!hangs(&format!("(a){}", "{2}".repeat(200))));
    }
}
