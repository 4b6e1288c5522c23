//! A search for several words at once, for lines that go by in millions.

use aho_corasick::{AhoCorasick, AhoCorasickKind, Span, packed};

/// Words to look for. None may begin with another.
pub(crate) struct Words(Search);

enum Search {
    /// Many bytes at once, where the processor can.
    Packed(packed::Searcher),
    Bytewise(AhoCorasick),
}

impl Words {
    pub(crate) fn new(words: &[&str]) -> Self {
        for (index, word) in words.iter().enumerate() {
            debug_assert!(
                word.len() >= 3,
                "{word:?} is in too many lines for a quick search"
            );
            debug_assert!(
                words[index + 1..]
                    .iter()
                    .all(|other| !other.starts_with(word) && !word.starts_with(other)),
                "{word:?} would hide another word, or be hidden"
            );
        }
        Self(packed::Searcher::new(words).map_or_else(|| bytewise(words), Search::Packed))
    }

    /// Whether the line has any of them.
    pub(crate) fn are_in(&self, line: &[u8]) -> bool {
        match &self.0 {
            Search::Packed(searcher) => searcher.find(line).is_some(),
            Search::Bytewise(searcher) => searcher.is_match(line),
        }
    }

    /// Tells the indices of those that the line has; some perhaps repeatedly.
    pub(crate) fn each_in(&self, line: &[u8], mut tell: impl FnMut(usize)) {
        match &self.0 {
            Search::Packed(searcher) => {
                let mut rest = Span::from(0..line.len());
                while let Some(found) = searcher.find_in(line, rest) {
                    tell(found.pattern().as_usize());
                    // Words may overlap.
                    rest.start = found.start() + 1;
                }
            }
            Search::Bytewise(searcher) => searcher
                .find_overlapping_iter(line)
                .for_each(|found| tell(found.pattern().as_usize())),
        }
    }
}

fn bytewise(words: &[&str]) -> Search {
    Search::Bytewise(
        AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .build(words)
            .expect("a handful of short words is far below every limit"),
    )
}

#[cfg(test)]
mod tests {
    use super::{Words, bytewise};

    #[test]
    fn both_searches_find_the_same() {
        let words = ["abcd", "bcde", "xyz"];
        let padding = "-".repeat(40);
        for (text, expected) in [
            ("", &[][..]),
            ("abcxy", &[]),
            ("abcde", &[0, 1]),
            ("xyz abcd", &[0, 2]),
            ("bcdexyz", &[1, 2]),
        ] {
            for line in [text.to_owned(), format!("{padding}{text}{padding}")] {
                for words in [Words::new(&words), Words(bytewise(&words))] {
                    let mut found = Vec::new();
                    words.each_in(line.as_bytes(), |index| found.push(index));
                    found.sort_unstable();
                    assert_eq!(found, expected, "{line}");
                    assert_eq!(words.are_in(line.as_bytes()), !expected.is_empty());
                }
            }
        }
    }
}
