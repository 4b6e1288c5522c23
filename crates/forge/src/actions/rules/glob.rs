//! Patterns of branch names and paths, as Ruby's `fnmatch` reads them with
//! `FNM_PATHNAME`: `*` and `?` stop at a slash, `**/` stands for any folders.

#[derive(Debug, Clone)]
pub(crate) struct Glob(Vec<Token>);

#[derive(Debug, Clone)]
enum Token {
    Char(char),
    /// `?`
    Any,
    /// `*`
    Many,
    /// `**/`, or `**` at the end.
    Folders {
        slash: bool,
    },
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Glob {
    pub(crate) fn new(pattern: &str) -> Self {
        let chars: Vec<char> = pattern.chars().collect();
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < chars.len() {
            let (token, next) = token(&chars, at);
            tokens.push(token);
            at = next;
        }
        Self(tokens)
    }

    /// Takes time in proportion to text and pattern, whatever is in them.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let mut states = vec![false; self.0.len() + 1];
        states[0] = true;
        self.skip_empty(&mut states, true);
        for character in text.chars() {
            let mut next = vec![false; self.0.len() + 1];
            for (index, token) in self.0.iter().enumerate() {
                if states[index] {
                    step(token, character, index, &mut next);
                }
            }
            self.skip_empty(&mut next, character == '/');
            states = next;
        }
        states[self.0.len()]
    }

    /// `*` may stand for nothing, and `**/` for no folder where one could begin.
    fn skip_empty(&self, states: &mut [bool], folder_start: bool) {
        for (index, token) in self.0.iter().enumerate() {
            let empty = match token {
                Token::Many => true,
                Token::Folders { slash } => folder_start || !slash,
                Token::Char(_) | Token::Any | Token::Class { .. } => false,
            };
            if states[index] && empty {
                states[index + 1] = true;
            }
        }
    }
}

fn step(token: &Token, character: char, index: usize, next: &mut [bool]) {
    match token {
        Token::Char(expected) => next[index + 1] |= *expected == character,
        Token::Any => next[index + 1] |= character != '/',
        Token::Many => next[index] |= character != '/',
        Token::Folders { .. } => next[index] = true,
        Token::Class { negated, ranges } => {
            let inside = ranges
                .iter()
                .any(|(first, last)| (*first..=*last).contains(&character));
            next[index + 1] |= inside != *negated && character != '/';
        }
    }
}

fn token(chars: &[char], at: usize) -> (Token, usize) {
    match chars[at] {
        '\\' if at + 1 < chars.len() => (Token::Char(chars[at + 1]), at + 2),
        '?' => (Token::Any, at + 1),
        '*' => stars(chars, at),
        '[' => class(chars, at).unwrap_or((Token::Char('['), at + 1)),
        other => (Token::Char(other), at + 1),
    }
}

fn stars(chars: &[char], at: usize) -> (Token, usize) {
    let end = at + chars[at..].iter().take_while(|char| **char == '*').count();
    let folder_start = at == 0 || chars[at - 1] == '/';
    if end - at < 2 || !folder_start {
        return (Token::Many, end);
    }
    match chars.get(end) {
        Some('/') => (Token::Folders { slash: true }, end + 1),
        None => (Token::Folders { slash: false }, end),
        Some(_) => (Token::Many, end),
    }
}

fn class(chars: &[char], at: usize) -> Option<(Token, usize)> {
    let negated = matches!(chars.get(at + 1), Some('!' | '^'));
    let start = at + 1 + usize::from(negated);
    let end = start + chars.get(start..)?.iter().position(|char| *char == ']')?;
    let mut ranges = Vec::new();
    let mut index = start;
    while index < end {
        let first = chars[index];
        if chars.get(index + 1) == Some(&'-') && index + 2 < end {
            ranges.push((first, chars[index + 2]));
            index += 3;
        } else {
            ranges.push((first, first));
            index += 1;
        }
    }
    Some((Token::Class { negated, ranges }, end + 1))
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn matches_as_fnmatch_does() {
        let cases = [
            ("main", "main", true),
            ("main", "mainline", false),
            ("release/*", "release/1.0", true),
            ("release/*", "release/1/0", false),
            ("release/**/*", "release/1/0", true),
            ("release/**", "release/1/0", true),
            ("**/docs", "docs", true),
            ("**/docs", "a/b/docs", true),
            ("**/docs", "a/bdocs", false),
            ("*", "feature", true),
            ("*", "feature/x", false),
            ("v[0-9].?", "v1.2", true),
            ("v[!0-9]", "v1", false),
            ("v[!0-9]", "vx", true),
            ("a[", "a[", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("", "", true),
            ("*", "", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(
                Glob::new(pattern).matches(text),
                expected,
                "{pattern} on {text}"
            );
        }
    }

    #[test]
    fn many_stars_take_no_longer_than_few() {
        let pattern = "*a".repeat(500);
        assert!(!Glob::new(&pattern).matches(&"a".repeat(499)));
        assert!(Glob::new(&pattern).matches(&"a".repeat(2000)));
    }
}
