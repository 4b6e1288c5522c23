//! The lines that a thread is about, followed from commit to commit.

use std::path::{Path, PathBuf};

use baton_host::git::{ChangeKind, FileDiff, Hunk};
use baton_remote::github::questions::review_discussion::{ThreadComment, ThreadPlace};
use baton_remote::github::words::{DiffSide, ThreadSubject};

/// In a hunk of hundreds of lines, such as a new file, not every line has to
/// do with the comment.
const NEAR: u64 = 20;
/// The unchanged lines around a change that make it one hunk with its neighbour.
const CONTEXT: u64 = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    pub(super) path: PathBuf,
    /// First and last; absent for a comment on the whole file.
    pub(super) lines: Option<(u64, u64)>,
}

impl Anchor {
    /// The commented hunk, in the commit that the comment was written about:
    /// the commented lines, and what the diff shows around them.
    pub(super) fn of(place: &ThreadPlace, first: &ThreadComment) -> Option<Self> {
        let path = PathBuf::from(&place.path);
        if place.subject_type == Some(ThreadSubject::File) {
            return Some(Self { path, lines: None });
        }
        let hunk = Shown::of(&first.diff_hunk);
        let on_old_side = place.diff_side == Some(DiffSide::Left);
        let original = place.original_line.or(first.original_line);
        // A line that is no longer there is where the new text closes over it.
        let last = match (on_old_side, original, &hunk) {
            (false, Some(line), _) => line,
            (_, _, Some(hunk)) => hunk.last_new_line,
            _ => return None,
        };
        let start = place.original_start_line.or(first.original_start_line);
        let start = start.filter(|start| !on_old_side && *start <= last);
        let start = start.unwrap_or(last);
        let (hunk_first, hunk_last) = hunk.map_or((start, last), |hunk| hunk.range);
        let from = hunk_first.max(start.saturating_sub(NEAR));
        let to = hunk_last.min(last + NEAR);
        Some(Self {
            path,
            lines: Some((
                from.min(start.saturating_sub(CONTEXT)).max(1),
                to.max(last + CONTEXT),
            )),
        })
    }

    /// The same lines on the other side of a diff without context; absent when
    /// the file is gone there.
    pub(super) fn after(&self, diff: &[FileDiff]) -> Option<Self> {
        let Some(file) = diff.iter().find(|file| is_from(file, &self.path)) else {
            return Some(self.clone());
        };
        if file.kind == ChangeKind::Deleted {
            return None;
        }
        Some(Self {
            path: file.path.clone(),
            lines: self.lines.map(|lines| moved(lines, &file.hunks)),
        })
    }

    /// What a change, as a diff without context, does here, in words.
    pub(super) fn touched_by(&self, diff: &[FileDiff]) -> Option<String> {
        let file = diff.iter().find(|file| is_from(file, &self.path))?;
        let path = self.path.display();
        if file.kind == ChangeKind::Deleted {
            return Some(format!("it deletes {path}"));
        }
        let Some(lines) = self.lines else {
            return Some(format!("it changes {path}, which the comment is about"));
        };
        let hunk = file.hunks.iter().find(|hunk| overlaps(hunk, lines))?;
        let first = u64::from(hunk.new_start);
        let last = first + u64::from(hunk.new_lines.saturating_sub(1));
        let range = if first == last {
            format!("{first}")
        } else {
            format!("{first}-{last}")
        };
        Some(format!(
            "it changes {}:{range}, in the hunk that the comment is about",
            file.path.display()
        ))
    }
}

fn is_from(file: &FileDiff, path: &Path) -> bool {
    match &file.kind {
        ChangeKind::Renamed { from, .. } => from == path,
        ChangeKind::Added | ChangeKind::Copied { .. } => false,
        _ => file.path == path,
    }
}

/// First and last line of a hunk's old side. An insertion stands between the
/// line named and the next.
fn old_side(hunk: &Hunk) -> (u64, u64) {
    let start = u64::from(hunk.old_start);
    match hunk.old_lines {
        0 => (start, start + 1),
        lines => (start, start + u64::from(lines) - 1),
    }
}

fn overlaps(hunk: &Hunk, (first, last): (u64, u64)) -> bool {
    let (from, to) = old_side(hunk);
    from <= last && to >= first
}

/// Where lines are after a change. What was changed itself grows to all of the
/// hunk that changed it.
fn moved((first, last): (u64, u64), hunks: &[Hunk]) -> (u64, u64) {
    let end = |line: u64, is_last: bool| {
        let mut line = i128::from(line);
        let at = line;
        for hunk in hunks {
            let start = i128::from(hunk.old_start);
            let (old, new) = (i128::from(hunk.old_lines), i128::from(hunk.new_lines));
            let is_before = if old == 0 {
                start < at
            } else {
                start + old <= at
            };
            if is_before {
                line += new - old;
            } else if old > 0 && start <= at {
                let first = i128::from(hunk.new_start);
                return if is_last { first + new - 1 } else { first };
            }
        }
        line
    };
    let first = end(first, false).max(1);
    let last = end(last, true).max(first);
    let line = |line: i128| u64::try_from(line).unwrap_or(1);
    (line(first), line(last))
}

/// What the forge shows of a hunk: from its head to the commented line.
struct Shown {
    /// Of the new side, by its head.
    range: (u64, u64),
    /// The last line of the new side up to the commented one.
    last_new_line: u64,
}

impl Shown {
    fn of(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let (_, from) = lines.next()?.split_once('+')?;
        let (range, _) = from.split_once(" @@")?;
        let (start, count) = match range.split_once(',') {
            Some((start, count)) => (start.parse::<u64>().ok()?, count.parse::<u64>().ok()?),
            None => (range.parse().ok()?, 1),
        };
        let shown = lines.filter(|line| !line.starts_with(['-', '\\'])).count() as u64;
        Some(Self {
            range: (
                start.max(1),
                start.saturating_add(count).saturating_sub(1).max(1),
            ),
            last_new_line: start.saturating_add(shown).saturating_sub(1).max(1),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(old: (u32, u32), new: (u32, u32)) -> Hunk {
        Hunk {
            old_start: old.0,
            old_lines: old.1,
            new_start: new.0,
            new_lines: new.1,
            heading: String::new(),
            lines: Vec::new(),
        }
    }

    #[test]
    fn lines_move_with_what_happens_above_them() {
        // Three lines are inserted after line 2, and lines 20 to 21 become one.
        let hunks = [hunk((2, 0), (3, 3)), hunk((20, 2), (23, 1))];
        assert_eq!(moved((1, 2), &hunks), (1, 2));
        assert_eq!(moved((2, 3), &hunks), (2, 6));
        assert_eq!(moved((10, 12), &hunks), (13, 15));
        assert_eq!(moved((21, 21), &hunks), (23, 23));
        assert_eq!(moved((18, 25), &hunks), (21, 27));
        // All of it was deleted: the line before is what is left.
        assert_eq!(moved((5, 6), &[hunk((4, 9), (3, 0))]), (3, 3));
    }

    #[test]
    fn an_insertion_beside_the_lines_touches_them() {
        let after_line_4 = hunk((4, 0), (5, 1));
        assert!(overlaps(&after_line_4, (5, 9)));
        assert!(overlaps(&after_line_4, (1, 4)));
        assert!(!overlaps(&after_line_4, (6, 9)));
        assert!(!overlaps(&hunk((4, 2), (4, 2)), (6, 9)));
    }

    #[test]
    fn a_shown_hunk_ends_with_the_commented_line() {
        let shown = Shown::of("@@ -1,3 +10,4 @@ fn a\n context\n-gone\n+new\n").unwrap();
        assert_eq!((shown.range, shown.last_new_line), ((10, 13), 11));
        assert!(Shown::of("@@ -1 @@").is_none());
        assert!(Shown::of("").is_none());
        assert_eq!(Shown::of("@@ -1 +1 @@\n+a").unwrap().range, (1, 1));
    }
}
