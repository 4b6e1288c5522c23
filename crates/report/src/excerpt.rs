//! Collects the text of an error in bounded memory, and shortens it for display.

use std::collections::VecDeque;

/// Maximum length of an error in the report.
const MAX_CHARS: usize = 2_000;
/// Bytes kept while reading: the beginning, and the latest end. Enough for the
/// report in any alphabet, including indentation; thousands of tests may be open
/// at once.
const HEAD_BYTES: usize = 6 << 10;
const TAIL_BYTES: usize = 4 << 10;
const TAIL_LINES: usize = 40;

/// The lines of an error block: all of a short one; the beginning and the end of
/// a long one, because runners put the message in either place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Excerpt {
    head: String,
    tail: VecDeque<String>,
    tail_bytes: usize,
    omitted: usize,
}

impl Excerpt {
    pub(crate) fn push(&mut self, line: &str) {
        if self.tail.is_empty() && self.head.len() + line.len() < HEAD_BYTES {
            if !self.head.is_empty() {
                self.head.push('\n');
            }
            self.head.push_str(line);
            return;
        }
        let line = shortened(line);
        self.tail_bytes += line.len();
        while (self.tail.len() >= TAIL_LINES || self.tail_bytes > TAIL_BYTES)
            && let Some(oldest) = self.tail.pop_front()
        {
            self.tail_bytes -= oldest.len();
            self.omitted += 1;
        }
        self.tail.push_back(line.to_owned());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_empty() && self.tail.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The text without its common indentation.
    pub(crate) fn text(&self) -> String {
        let mut text = self.head.clone();
        if self.omitted > 0 {
            text.push_str(&format_omission(self.omitted));
        }
        for line in &self.tail {
            text.push('\n');
            text.push_str(line);
        }
        dedented(text.trim_matches('\n'))
    }

    /// Returns the text and empties the excerpt.
    pub(crate) fn take(&mut self) -> String {
        let text = self.text();
        self.clear();
        text
    }
}

/// An error as it goes into the report: within the size limit, with beginning
/// and end kept.
pub(crate) fn cut(error: &str) -> String {
    const OMISSION: &str = "\n…\n";
    // Two thirds for the beginning, where most runners put the message.
    const HEAD: usize = MAX_CHARS * 2 / 3;
    const TAIL: usize = MAX_CHARS - HEAD - 3;
    let error = error.trim();
    if error.len() <= MAX_CHARS {
        return error.to_owned();
    }
    let count = error.chars().count();
    if count <= MAX_CHARS {
        return error.to_owned();
    }
    let head: String = error.chars().take(HEAD).collect();
    let tail: String = error.chars().skip(count - TAIL).collect();
    format!("{}{OMISSION}{}", head.trim_end(), tail.trim_start())
}

fn format_omission(lines: usize) -> String {
    format!("\n… {lines} lines left out …")
}

fn shortened(line: &str) -> &str {
    const MAX_LINE_CHARS: usize = 500;
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => &line[..end],
        None => line,
    }
}

/// The text without the indentation that all its lines share.
pub(crate) fn dedented(text: &str) -> String {
    let indent = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0);
    text.lines()
        .map(|line| line.get(indent..).unwrap_or("").trim_end())
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Excerpt, cut};

    #[test]
    fn short_blocks_are_kept_whole() {
        let mut excerpt = Excerpt::default();
        for line in ["    a", "      b", "", "    c"] {
            excerpt.push(line);
        }
        assert_eq!(excerpt.take(), "a\n  b\n\nc");
        assert!(excerpt.is_empty());
    }

    #[test]
    fn long_blocks_keep_both_ends() {
        let mut excerpt = Excerpt::default();
        for number in 0..10_000 {
            excerpt.push(&format!("line {number}"));
        }
        let text = excerpt.text();
        assert!(text.starts_with("line 0\n") && text.ends_with("line 9999"));
        assert!(text.contains("lines left out") && text.len() < 16 << 10);
        let cut = cut(&text);
        assert!(cut.starts_with("line 0\n") && cut.ends_with("line 9999") && cut.contains('…'));
        assert!(cut.chars().count() <= 2_000);
        assert_eq!(super::cut(&cut), cut);
    }
}
