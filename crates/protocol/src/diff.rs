//! What a change does to files, line by line, and where their lines go.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::Oid;

/// What a change does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    pub kind: ChangeKind,
    /// Its path afterwards; before, where it was deleted.
    pub path: PathBuf,
    /// Content before and after; zero where there is none.
    pub old: Oid,
    pub new: Oid,
    /// As git writes them: `100644`, `100755`, `120000` (a link), `160000` (a submodule).
    pub old_mode: String,
    pub new_mode: String,
    pub is_binary: bool,
    pub hunks: Vec<Hunk>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Deleted,
    Modified,
    /// A file became a link or a submodule, or the other way round.
    TypeChanged,
    Renamed {
        from: PathBuf,
        /// In percent.
        similarity: u8,
    },
    Copied {
        from: PathBuf,
        /// In percent.
        similarity: u8,
    },
    /// Something that this program does not know, by git's letter.
    Other(String),
}

/// Lines that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The first line, counted from 1; the line before where `old_lines` is 0.
    pub old_start: u32,
    pub old_lines: u32,
    pub new_start: u32,
    pub new_lines: u32,
    /// What git takes for the function around it.
    pub heading: String,
    pub lines: Vec<DiffLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    pub kind: DiffLineKind,
    /// Without the sign and the line break.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffLineKind {
    Context,
    Added,
    Removed,
    /// The line before has no line break.
    NoNewline,
}

/// A line and its numbers in the two files, where it is in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberedLine<'a> {
    pub old: Option<u32>,
    pub new: Option<u32>,
    pub line: &'a DiffLine,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineAfter {
    /// It is as it was, at this number.
    Same(u32),
    /// These lines, the first and the last, stand in its place. Where it was deleted, that is the
    /// line before.
    Replaced(u32, u32),
}

impl FileDiff {
    pub fn additions(&self) -> usize {
        self.count(DiffLineKind::Added)
    }

    pub fn deletions(&self) -> usize {
        self.count(DiffLineKind::Removed)
    }

    fn count(&self, kind: DiffLineKind) -> usize {
        let lines = self.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.filter(|line| line.kind == kind).count()
    }

    /// Whether it changes the file that had this path before.
    pub fn changes(&self, path: &Path) -> bool {
        match &self.kind {
            ChangeKind::Renamed { from, .. } => from == path,
            ChangeKind::Added | ChangeKind::Copied { .. } => false,
            ChangeKind::Deleted
            | ChangeKind::Modified
            | ChangeKind::TypeChanged
            | ChangeKind::Other(_) => self.path == path,
        }
    }
}

impl Hunk {
    /// Reads `@@ -1,3 +1,4 @@ fn main() {`.
    pub fn parse_header(line: &str) -> Option<Self> {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let (new, heading) = rest.split_once(" @@")?;
        let ((old_start, old_lines), (new_start, new_lines)) = (span(old)?, span(new)?);
        Some(Self {
            old_start,
            old_lines,
            new_start,
            new_lines,
            heading: heading.trim_start().to_owned(),
            lines: Vec::new(),
        })
    }

    /// The lines of the file before; absent where the hunk only adds.
    pub fn old_range(&self) -> Option<RangeInclusive<u32>> {
        range(self.old_start, self.old_lines)
    }

    /// The lines of the file afterwards; absent where the hunk only removes.
    pub fn new_range(&self) -> Option<RangeInclusive<u32>> {
        range(self.new_start, self.new_lines)
    }

    pub fn numbered(&self) -> impl Iterator<Item = NumberedLine<'_>> {
        let (mut old, mut new) = (self.old_start, self.new_start);
        self.lines.iter().map(move |line| {
            let (in_old, in_new) = match line.kind {
                DiffLineKind::Context => (true, true),
                DiffLineKind::Added => (false, true),
                DiffLineKind::Removed => (true, false),
                DiffLineKind::NoNewline => (false, false),
            };
            let numbered = NumberedLine {
                old: in_old.then_some(old),
                new: in_new.then_some(new),
                line,
            };
            old = old.saturating_add(u32::from(in_old));
            new = new.saturating_add(u32::from(in_new));
            numbered
        })
    }

    /// The lines that are new, with their numbers in the file as it is now.
    pub fn added(&self) -> impl Iterator<Item = (u32, &str)> {
        let added = |line: &NumberedLine<'_>| line.line.kind == DiffLineKind::Added;
        self.numbered()
            .filter(added)
            .filter_map(|line| Some((line.new?, line.line.text.as_str())))
    }
}

impl LineAfter {
    /// Follows a line through the hunks of its file, which have no context lines.
    pub fn follow(line: u32, hunks: &[Hunk]) -> Self {
        let mut shift = 0_i64;
        for hunk in hunks {
            let (start, old, new) = (hunk.old_start, hunk.old_lines, hunk.new_lines);
            // New lines stand after the one that a hunk without old lines names.
            let is_above = match old {
                0 => start < line,
                old => start.saturating_add(old) <= line,
            };
            if is_above {
                shift += i64::from(new) - i64::from(old);
            } else if old > 0 && start <= line {
                let first = hunk.new_start.max(1);
                return Self::Replaced(first, first.saturating_add(new.saturating_sub(1)));
            }
        }
        Self::Same(u32::try_from(i64::from(line) + shift).unwrap_or(1).max(1))
    }

    /// Where a range of lines is afterwards. What was changed itself grows to all that replaces it.
    pub fn follow_range((first, last): (u32, u32), hunks: &[Hunk]) -> (u32, u32) {
        let (Self::Same(first) | Self::Replaced(first, _)) = Self::follow(first, hunks);
        let (Self::Same(last) | Self::Replaced(_, last)) = Self::follow(last, hunks);
        (first, last.max(first))
    }
}

fn span(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((start, lines)) => Some((start.parse().ok()?, lines.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

fn range(start: u32, lines: u32) -> Option<RangeInclusive<u32>> {
    let more = lines.checked_sub(1)?;
    Some(start..=start.saturating_add(more))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunks(headers: &[&str]) -> Vec<Hunk> {
        let parsed = headers.iter().map(|header| Hunk::parse_header(header));
        parsed.collect::<Option<_>>().unwrap()
    }

    #[test]
    fn a_header_names_the_lines_of_both_sides() {
        let hunk = Hunk::parse_header("@@ -1,3 +10 @@ fn main() {").unwrap();
        assert_eq!(hunk.old_range(), Some(1..=3));
        assert_eq!(hunk.new_range(), Some(10..=10));
        assert_eq!(hunk.heading, "fn main() {");
        let added = Hunk::parse_header("@@ -4,0 +5,2 @@").unwrap();
        assert_eq!(added.old_range(), None);
        for text in [
            "",
            "@@",
            "@@ -x +y @@",
            "@@ -1,99999999999 +1 @@",
            "@@ -1 @@",
        ] {
            assert!(Hunk::parse_header(text).is_none(), "{text}");
        }
    }

    #[test]
    fn lines_are_numbered_on_their_sides() {
        let mut hunk = Hunk::parse_header("@@ -7,2 +8,2 @@").unwrap();
        let line = |kind, text: &str| DiffLine {
            kind,
            text: text.to_owned(),
        };
        hunk.lines = vec![
            line(DiffLineKind::Context, "a"),
            line(DiffLineKind::Removed, "b"),
            line(DiffLineKind::Added, "c"),
            line(DiffLineKind::NoNewline, ""),
        ];
        let numbers: Vec<_> = hunk.numbered().map(|line| (line.old, line.new)).collect();
        assert_eq!(
            numbers,
            [
                (Some(7), Some(8)),
                (Some(8), None),
                (None, Some(9)),
                (None, None)
            ]
        );
        assert_eq!(hunk.added().collect::<Vec<_>>(), [(9, "c")]);
    }

    #[test]
    fn a_line_is_followed_until_it_changes() {
        // Two lines are added after line 2, line 5 becomes two, line 8 is removed.
        let hunks = hunks(&["@@ -2,0 +3,2 @@", "@@ -5 +7,2 @@", "@@ -8 +10,0 @@"]);
        let cases = [
            (1, LineAfter::Same(1)),
            (2, LineAfter::Same(2)),
            (3, LineAfter::Same(5)),
            (5, LineAfter::Replaced(7, 8)),
            (6, LineAfter::Same(9)),
            (8, LineAfter::Replaced(10, 10)),
            (9, LineAfter::Same(11)),
        ];
        for (line, expected) in cases {
            assert_eq!(LineAfter::follow(line, &hunks), expected, "line {line}");
        }
        LineAfter::follow(u32::MAX, &hunks);
    }

    #[test]
    fn ranges_move_with_what_happens_above_them() {
        // Three lines are added after line 2, and lines 20 to 21 become one.
        let both = hunks(&["@@ -2,0 +3,3 @@", "@@ -20,2 +23 @@"]);
        let cases = [
            ((1, 2), (1, 2)),
            ((2, 3), (2, 6)),
            ((10, 12), (13, 15)),
            ((21, 21), (23, 23)),
            ((18, 25), (21, 27)),
        ];
        for (lines, expected) in cases {
            assert_eq!(LineAfter::follow_range(lines, &both), expected);
        }
        // All of it was deleted: the line before is what is left.
        let gone = hunks(&["@@ -4,9 +3,0 @@"]);
        assert_eq!(LineAfter::follow_range((5, 6), &gone), (3, 3));
    }
}
