//! The hunks of one file, and how lines wander through them.

use baton_protocol::diff::{Hunk, LineAfter};

use crate::store::review_threads::Side;

/// The patch of one file, read for its line numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Patch<'a> {
    first_header: &'a str,
    lines: Vec<PatchLine<'a>>,
}

/// A line below the first hunk header. Its position is its index plus one.
#[derive(Debug, Clone, Copy)]
struct PatchLine<'a> {
    text: &'a str,
    kind: LineKind,
    /// Line numbers in the two files, where the line is in both or either.
    old: Option<u32>,
    new: Option<u32>,
    /// Index of the line after its hunk header.
    hunk: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Context,
    Added,
    Removed,
    /// A further hunk header, or `\ No newline at end of file`.
    Note,
}

impl<'a> Patch<'a> {
    /// From the first `@@` on. A line that belongs to no hunk is skipped.
    pub(crate) fn parse(text: &'a str) -> Self {
        let mut lines = Vec::new();
        let (mut old, mut new) = (0, 0);
        let mut first_header = "";
        let mut hunk = 0;
        for line in text.split('\n') {
            if let Some(header) = Hunk::parse_header(line) {
                (old, new) = (header.old_start, header.new_start);
                if first_header.is_empty() {
                    first_header = line;
                } else {
                    lines.push(PatchLine::note(line, hunk));
                }
                hunk = lines.len();
                continue;
            }
            let (kind, has_old, has_new) = match line.as_bytes().first() {
                Some(b'+') => (LineKind::Added, false, true),
                Some(b'-') => (LineKind::Removed, true, false),
                Some(b' ') => (LineKind::Context, true, true),
                Some(b'\\') => (LineKind::Note, false, false),
                _ => continue,
            };
            lines.push(PatchLine {
                text: line,
                kind,
                old: has_old.then_some(old),
                new: has_new.then_some(new),
                hunk,
            });
            old = old.saturating_add(u32::from(has_old));
            new = new.saturating_add(u32::from(has_new));
        }
        Self {
            first_header,
            lines,
        }
    }

    /// How far below the first hunk header a line is; absent when the patch
    /// does not show it.
    pub(crate) fn position(&self, side: Side, line: u32) -> Option<u32> {
        let index = self
            .lines
            .iter()
            .position(|candidate| candidate.number(side) == Some(line))?;
        u32::try_from(index + 1).ok()
    }

    /// What is at a position.
    pub(crate) fn at(&self, position: u32) -> Option<(Side, u32)> {
        let index = usize::try_from(position).ok()?.checked_sub(1)?;
        let line = self.lines.get(index)?;
        match line.kind {
            LineKind::Removed => line.old.map(|number| (Side::Left, number)),
            LineKind::Added | LineKind::Context => line.new.map(|number| (Side::Right, number)),
            LineKind::Note => None,
        }
    }

    /// Whether both positions are in one hunk, in this order.
    pub(crate) fn spans(&self, first: u32, last: u32) -> bool {
        let hunk = |position: u32| {
            let index = usize::try_from(position).ok()?.checked_sub(1)?;
            self.lines.get(index).map(|line| line.hunk)
        };
        first <= last && hunk(first).is_some() && hunk(first) == hunk(last)
    }

    /// The hunk from its header to the line at a position.
    pub(crate) fn excerpt(&self, position: u32) -> String {
        let end = usize::try_from(position).unwrap_or(usize::MAX);
        let end = end.min(self.lines.len());
        let Some(last) = end.checked_sub(1).and_then(|index| self.lines.get(index)) else {
            return self.first_header.to_owned();
        };
        let header = match last.hunk.checked_sub(1) {
            Some(index) => self.lines[index].text,
            None => self.first_header,
        };
        let mut excerpt = header.to_owned();
        for line in &self.lines[last.hunk..end] {
            excerpt.push('\n');
            excerpt.push_str(line.text);
        }
        excerpt
    }
}

impl<'a> PatchLine<'a> {
    fn note(text: &'a str, hunk: usize) -> Self {
        Self {
            text,
            kind: LineKind::Note,
            old: None,
            new: None,
            hunk,
        }
    }

    fn number(&self, side: Side) -> Option<u32> {
        match side {
            Side::Left => self.old,
            Side::Right => self.new,
        }
    }
}

/// Where the lines of a file went, from the patch between its two versions.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineMap(Vec<Hunk>);

impl LineMap {
    /// From a patch without context lines (`-U0`).
    pub(crate) fn parse(patch: &str) -> Self {
        Self(patch.split('\n').filter_map(Hunk::parse_header).collect())
    }

    /// The line's number afterwards; absent when it was changed or removed.
    pub(crate) fn follow(&self, line: u32) -> Option<u32> {
        match LineAfter::follow(line, &self.0) {
            LineAfter::Same(line) => Some(line),
            LineAfter::Replaced(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "@@ -1,3 +1,4 @@ start\n one\n-two\n+TWO\n+more\n three\n@@ -10,2 +11,2 @@\n ten\n-eleven\n+ELEVEN\n\\ No newline at end of file";

    #[test]
    fn positions_count_from_the_first_header() {
        let patch = Patch::parse(PATCH);
        assert_eq!(patch.position(Side::Right, 1), Some(1));
        assert_eq!(patch.position(Side::Left, 2), Some(2));
        assert_eq!(patch.position(Side::Right, 2), Some(3));
        assert_eq!(patch.position(Side::Right, 4), Some(5));
        assert_eq!(patch.position(Side::Right, 5), None);
        assert_eq!(patch.position(Side::Right, 12), Some(9));
        assert_eq!(patch.at(2), Some((Side::Left, 2)));
        assert_eq!(patch.at(6), None);
        assert_eq!(patch.at(9), Some((Side::Right, 12)));
        assert_eq!(patch.at(0), None);
        assert_eq!(patch.at(99), None);
        assert!(patch.spans(1, 5));
        assert!(!patch.spans(1, 7));
        assert!(!patch.spans(3, 2));
    }

    #[test]
    fn an_excerpt_ends_with_its_line() {
        let patch = Patch::parse(PATCH);
        assert_eq!(patch.excerpt(3), "@@ -1,3 +1,4 @@ start\n one\n-two\n+TWO");
        assert_eq!(
            patch.excerpt(9),
            "@@ -10,2 +11,2 @@\n ten\n-eleven\n+ELEVEN"
        );
    }

    #[test]
    fn a_line_is_followed_until_it_changes() {
        // Two lines inserted behind line 2, line 5 changed, line 8 removed.
        let map = LineMap::parse("@@ -2,0 +3,2 @@\n+a\n+b\n@@ -5 +7 @@\n-x\n+y\n@@ -8 +9,0 @@\n-z");
        let cases = [
            (1, Some(1)),
            (2, Some(2)),
            (3, Some(5)),
            (5, None),
            (6, Some(8)),
            (8, None),
            (9, Some(10)),
        ];
        for (line, expected) in cases {
            assert_eq!(map.follow(line), expected, "line {line}");
        }
    }

    #[test]
    fn any_text_is_read() {
        let without_hunks = ["", "@@", "@@ -x +y @@", "@@ -1,99999999999 +1 @@"];
        for text in without_hunks {
            let patch = Patch::parse(text);
            assert_eq!(patch.at(1), None, "{text:?}");
            assert_eq!(patch.excerpt(u32::MAX), "", "{text:?}");
            assert_eq!(LineMap::parse(text).follow(u32::MAX), Some(u32::MAX));
        }
        let headless = Patch::parse("+\n-\n \n\\");
        assert_eq!(headless.at(1), Some((Side::Right, 0)));
        assert_eq!(headless.at(2), Some((Side::Left, 0)));
        assert_eq!(headless.at(4), None);
        assert_eq!(headless.excerpt(u32::MAX), "\n+\n-\n \n\\");
        let last = LineMap::parse("@@ -4294967290,9 +1 @@");
        assert_eq!(last.follow(u32::MAX - 1), None);
    }
}
