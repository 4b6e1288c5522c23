//! Searches lines for several strings at once, fast enough for millions of
//! lines.

use aho_corasick::{AhoCorasick, AhoCorasickKind, Span, packed};

/// A search for several strings. None may begin with another.
pub(crate) struct Matcher(Search);

enum Search {
    /// Uses SIMD where the processor supports it.
    Packed(packed::Searcher),
    Bytewise(AhoCorasick),
}

impl Matcher {
    pub(crate) fn new(texts: &[&str]) -> Self {
        for (index, text) in texts.iter().enumerate() {
            debug_assert!(
                text.len() >= 3,
                "{text:?} is in too many lines for a quick search"
            );
            debug_assert!(
                texts[index + 1..]
                    .iter()
                    .all(|other| !other.starts_with(text) && !text.starts_with(other)),
                "{text:?} would hide another text, or be hidden"
            );
        }
        Self(packed::Searcher::new(texts).map_or_else(|| bytewise(texts), Search::Packed))
    }

    /// Whether the line contains any of them.
    pub(crate) fn is_match(&self, line: &[u8]) -> bool {
        match &self.0 {
            Search::Packed(searcher) => searcher.find(line).is_some(),
            Search::Bytewise(searcher) => searcher.is_match(line),
        }
    }

    /// Calls `found` with the index of each string in the line, possibly
    /// repeatedly.
    pub(crate) fn for_each_match(&self, line: &[u8], mut found: impl FnMut(usize)) {
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

fn bytewise(texts: &[&str]) -> Search {
    Search::Bytewise(
        AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .build(texts)
            .expect("a handful of short texts is far below every limit"),
    )
}

#[cfg(test)]
mod tests {
    use super::{Matcher, bytewise};

    #[test]
    fn both_searches_find_the_same() {
        let texts = ["abcd", "bcde", "xyz"];
        let padding = "-".repeat(40);
        for (text, expected) in [
            ("", &[][..]),
            ("abcxy", &[]),
            ("abcde", &[0, 1]),
            ("xyz abcd", &[0, 2]),
            ("bcdexyz", &[1, 2]),
        ] {
            for line in [text.to_owned(), format!("{padding}{text}{padding}")] {
                for matcher in [Matcher::new(&texts), Matcher(bytewise(&texts))] {
                    let mut found = Vec::new();
                    matcher.for_each_match(line.as_bytes(), |index| found.push(index));
                    found.sort_unstable();
                    assert_eq!(found, expected, "{line}");
                    assert_eq!(matcher.is_match(line.as_bytes()), !expected.is_empty());
                }
            }
        }
    }
}
