//! Patterns of paths, as `CODEOWNERS` and workflow files have them.

/// `*` stays within a folder, `**` does not, `**/` is also no folder at all.
///
/// Patterns come from outside: the time that a match takes is the length of
/// the one times the length of the other, whatever they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glob(Vec<Token>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Character(char),
    One,
    Many,
    Deep,
    DeepFolder,
}

/// Nobody writes longer ones; what is beyond is not read.
const LONGEST: usize = 1024;

impl Glob {
    pub(super) fn new(pattern: &str) -> Self {
        let mut tokens = Vec::new();
        let mut rest = pattern.chars().take(LONGEST).peekable();
        while let Some(character) = rest.next() {
            tokens.push(match character {
                '*' if rest.next_if_eq(&'*').is_some() => {
                    while rest.next_if_eq(&'*').is_some() {}
                    if rest.next_if_eq(&'/').is_some() {
                        Token::DeepFolder
                    } else {
                        Token::Deep
                    }
                }
                '*' => Token::Many,
                '?' => Token::One,
                '\\' => Token::Character(rest.next().unwrap_or('\\')),
                other => Token::Character(other),
            });
        }
        Self(tokens)
    }

    pub(super) fn matches(&self, path: &str) -> bool {
        let tokens = &self.0;
        let mut now = vec![false; tokens.len() + 1];
        self.enter(&mut now, 0);
        for character in path.chars() {
            let mut next = vec![false; tokens.len() + 1];
            for (place, token) in tokens.iter().enumerate().filter(|(place, _)| now[*place]) {
                match token {
                    Token::Character(wanted) if *wanted == character => {
                        self.enter(&mut next, place + 1);
                    }
                    Token::One if character != '/' => self.enter(&mut next, place + 1),
                    Token::Many if character != '/' => self.enter(&mut next, place),
                    Token::Deep => self.enter(&mut next, place),
                    Token::DeepFolder => {
                        // What follows begins where a folder ends.
                        next[place] = true;
                        if character == '/' {
                            self.enter(&mut next, place + 1);
                        }
                    }
                    _ => {}
                }
            }
            now = next;
        }
        now[tokens.len()]
    }

    /// All that may be nothing is passed by.
    fn enter(&self, places: &mut [bool], mut place: usize) {
        places[place] = true;
        while let Some(Token::Many | Token::Deep | Token::DeepFolder) = self.0.get(place) {
            place += 1;
            places[place] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_they_do_on_github() {
        let cases = [
            ("*.rs", "main.rs", true),
            ("*.rs", "src/main.rs", false),
            ("**.rs", "src/main.rs", true),
            ("**/main.rs", "main.rs", true),
            ("**/main.rs", "a/b/main.rs", true),
            ("**/main.rs", "a/domain.rs", false),
            ("docs/**", "docs/a/b.md", true),
            ("docs/**", "docs", false),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a/**/b", "ab", false),
            ("?.md", "a.md", true),
            (r"\*.md", "*.md", true),
            ("", "", true),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(
                Glob::new(pattern).matches(path),
                expected,
                "{pattern} {path}"
            );
        }
    }

    #[test]
    fn hostile_patterns_end_soon() {
        let pattern = "*a".repeat(400) + "b";
        assert!(!Glob::new(&pattern).matches(&"a".repeat(4000)));
    }
}
