//! Searches lines for several strings at once, fast enough for millions of
//! lines.

use aho_corasick::{AhoCorasick, AhoCorasickKind, Span, packed};

/// The strings to search for. None may begin with another.
pub(crate) struct Words(Search);

enum Search {
    /// Uses SIMD where the processor supports it.
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

    /// Whether the line contains any of them.
    pub(crate) fn are_in(&self, line: &[u8]) -> bool {
        match &self.0 {
            Search::Packed(searcher) => searcher.find(line).is_some(),
            Search::Bytewise(searcher) => searcher.is_match(line),
        }
    }

    /// Calls `found` with the index of each string in the line, possibly
    /// repeatedly.
    pub(crate) fn each_in(&self, line: &[u8], mut found: impl FnMut(usize)) {
        match &self.0 {
            Search::Packed(searcher) => {
                let mut rest = Span::from(0..line.len());
                while let Some(hit) = searcher.find_in(line, rest) {
                    found(hit.pattern().as_usize());
                    // Matches may overlap.
                    rest.start = hit.start() + 1;
                }
            }
            Search::Bytewise(searcher) => searcher
                .find_overlapping_iter(line)
                .for_each(|hit| found(hit.pattern().as_usize())),
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
