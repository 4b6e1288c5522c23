//! Diffs, line by line.

use super::prelude::*;
use crate::git::FileDiff;

/// A file with more changed lines is folded away at first.
const FOLDED_ABOVE: u64 = 400;

/// More lines of one file are not shown.
const MAX_LINES: usize = 5000;

/// What a change does to one file, for people.
#[derive(Debug, Clone)]
pub(super) struct FileChange {
    pub(super) path: String,
    pub(super) previous_path: Option<String>,
    pub(super) status: &'static str,
    pub(super) additions: u64,
    pub(super) deletions: u64,
    pub(super) lines: Vec<Line>,
    pub(super) is_folded: bool,
    /// Said instead of lines, or after the last one.
    pub(super) note: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) kind: LineKind,
    pub(super) old: Option<u32>,
    pub(super) new: Option<u32>,
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Hunk,
    Same,
    Added,
    Removed,
    /// `\ No newline at end of file`
    Note,
}

impl Line {
    /// The class in the style sheet.
    pub(super) fn class(&self) -> &'static str {
        match self.kind {
            LineKind::Hunk => "hunk",
            LineKind::Same => "same",
            LineKind::Added => "added",
            LineKind::Removed => "removed",
            LineKind::Note => "note",
        }
    }

    /// Also for those who do not see colours.
    pub(super) fn sign(&self) -> &'static str {
        match self.kind {
            LineKind::Added => "+",
            LineKind::Removed => "-",
            LineKind::Hunk | LineKind::Same | LineKind::Note => " ",
        }
    }
}

impl From<FileDiff> for FileChange {
    fn from(file: FileDiff) -> Self {
        let mut lines = file.patch.as_deref().map(lines).unwrap_or_default();
        let note = if lines.len() > MAX_LINES {
            lines.truncate(MAX_LINES);
            Some("There is more; fetch the branch to see all of it.")
        } else if file.patch.is_some() {
            None
        } else if file.additions + file.deletions > 0 {
            Some("This change is too large to be shown here.")
        } else if file.previous_path.is_some() {
            Some("Renamed without changes.")
        } else {
            Some("Binary file, or nothing but its mode changed.")
        };
        Self {
            is_folded: file.additions + file.deletions > FOLDED_ABOVE,
            path: file.path,
            previous_path: file.previous_path,
            status: file.status.as_str(),
            additions: file.additions,
            deletions: file.deletions,
            lines,
            note,
        }
    }
}

/// The lines of a patch, which begins with its first hunk.
pub(super) fn lines(patch: &str) -> Vec<Line> {
    let (mut old, mut new) = (0, 0);
    let mut lines = Vec::new();
    for text in patch.lines() {
        let mut line = Line {
            kind: LineKind::Same,
            old: None,
            new: None,
            text: visible(text.get(1..).unwrap_or_default()),
        };
        match text.as_bytes().first() {
            Some(b'@') => {
                (old, new) = starts(text);
                line.kind = LineKind::Hunk;
                line.text = visible(text);
            }
            Some(b'+') => {
                line.kind = LineKind::Added;
                line.new = Some(new);
                new += 1;
            }
            Some(b'-') => {
                line.kind = LineKind::Removed;
                line.old = Some(old);
                old += 1;
            }
            Some(b'\\') => {
                line.kind = LineKind::Note;
                text.trim_start_matches(['\\', ' '])
                    .clone_into(&mut line.text);
            }
            _ => {
                (line.old, line.new) = (Some(old), Some(new));
                (old, new) = (old + 1, new + 1);
            }
        }
        lines.push(line);
    }
    lines
}

/// Both numbers of `@@ -12,3 +14,5 @@`.
fn starts(header: &str) -> (u32, u32) {
    let number = |sign: char| {
        let (_, rest) = header.split_once(sign)?;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    };
    (number('-').unwrap_or(0), number('+').unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_on_both_sides() {
        let patch = "@@ -3,3 +3,4 @@ fn main() {\n same\n-old\n+new\n+newer\n last\n\\ No newline at end of file";
        let shown: Vec<String> = lines(patch)
            .iter()
            .map(|line| {
                let number = |number: Option<u32>| number.map_or("-".to_owned(), |n| n.to_string());
                format!(
                    "{} {} {}{}|{}",
                    line.class(),
                    number(line.old),
                    number(line.new),
                    line.sign(),
                    line.text
                )
            })
            .collect();
        insta::assert_snapshot!(shown.join("\n"), @"
    hunk - - |@@ -3,3 +3,4 @@ fn main() {
    same 3 3 |same
    removed 4 --|old
    added - 4+|new
    added - 5+|newer
    same 5 6 |last
    note - - |No newline at end of file
    ");
    }

    #[test]
    fn nonsense_is_shown_as_it_is() {
        assert_eq!(lines("@@ nonsense").len(), 1);
        assert_eq!(lines("ünicode at once")[0].text, "");
        assert_eq!(lines(""), Vec::new());
    }
}
