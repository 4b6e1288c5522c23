//! The lines that a thread is about, followed from commit to commit.

use std::path::PathBuf;

use baton_host::git::{ChangeKind, FileDiff, Hunk};
use baton_protocol::diff::LineAfter;
use baton_remote::github::enums::{DiffSide, ThreadSubject};
use baton_remote::github::questions::review_discussion::{ThreadComment, ThreadPlace};

/// In a hunk of hundreds of lines, such as a new file, not every line has to
/// do with the comment.
const NEAR: u32 = 20;
/// The unchanged lines around a change that make it one hunk with its neighbour.
const CONTEXT: u32 = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    pub(super) path: PathBuf,
    /// First and last; absent for a comment on the whole file.
    pub(super) lines: Option<(u32, u32)>,
}

impl Anchor {
    /// The commented hunk, in the commit that the comment was written about:
    /// the commented lines, and what the diff shows around them.
    pub(super) fn new(place: &ThreadPlace, first: &ThreadComment) -> Option<Self> {
        let path = PathBuf::from(&place.path);
        if place.subject_type == Some(ThreadSubject::File) {
            return Some(Self { path, lines: None });
        }
        let hunk = Shown::parse(&first.diff_hunk);
        let on_old_side = place.diff_side == Some(DiffSide::Left);
        let original = number(place.original_line.or(first.original_line));
        // A line that is no longer there is where the new text closes over it.
        let last = match (on_old_side, original, &hunk) {
            (false, Some(line), _) => line,
            (_, _, Some(hunk)) => hunk.last_new_line,
            _ => return None,
        };
        let start = number(place.original_start_line.or(first.original_start_line));
        let start = start.filter(|start| !on_old_side && *start <= last);
        let start = start.unwrap_or(last);
        let (hunk_first, hunk_last) = hunk.map_or((start, last), |hunk| hunk.range);
        let from = hunk_first.max(start.saturating_sub(NEAR));
        let to = hunk_last.min(last.saturating_add(NEAR));
        Some(Self {
            path,
            lines: Some((
                from.min(start.saturating_sub(CONTEXT)).max(1),
                to.max(last.saturating_add(CONTEXT)),
            )),
        })
    }

    /// The same lines on the other side of a diff without context; absent when
    /// the file is gone there.
    pub(super) fn after(&self, diff: &[FileDiff]) -> Option<Self> {
        let Some(file) = diff.iter().find(|file| file.changes(&self.path)) else {
            return Some(self.clone());
        };
        if file.kind == ChangeKind::Deleted {
            return None;
        }
        Some(Self {
            path: file.path.clone(),
            lines: self
                .lines
                .map(|lines| LineAfter::follow_range(lines, &file.hunks)),
        })
    }

    /// What a change, as a diff without context, does here, in words.
    pub(super) fn touched_by(&self, diff: &[FileDiff]) -> Option<String> {
        let file = diff.iter().find(|file| file.changes(&self.path))?;
        let path = self.path.display();
        if file.kind == ChangeKind::Deleted {
            return Some(format!("it deletes {path}"));
        }
        let Some(lines) = self.lines else {
            return Some(format!("it changes {path}, which the comment is about"));
        };
        let hunk = file.hunks.iter().find(|hunk| overlaps(hunk, lines))?;
        let first = hunk.new_start;
        let last = hunk.new_range().map_or(first, |lines| *lines.end());
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

/// The forge counts lines in a wider type than git.
fn number(line: Option<u64>) -> Option<u32> {
    line.and_then(|line| u32::try_from(line).ok())
}

/// First and last line of a hunk's old side. An insertion stands between the
/// line named and the next.
fn old_side(hunk: &Hunk) -> (u32, u32) {
    match hunk.old_range() {
        Some(lines) => lines.into_inner(),
        None => (hunk.old_start, hunk.old_start.saturating_add(1)),
    }
}

fn overlaps(hunk: &Hunk, (first, last): (u32, u32)) -> bool {
    let (from, to) = old_side(hunk);
    from <= last && to >= first
}

/// What the forge shows of a hunk: from its head to the commented line.
struct Shown {
    /// Of the new side, by its head.
    range: (u32, u32),
    /// The last line of the new side up to the commented one.
    last_new_line: u32,
}

impl Shown {
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let hunk = Hunk::parse_header(lines.next()?)?;
        let shown = lines.filter(|line| !line.starts_with(['-', '\\'])).count();
        let shown = u32::try_from(shown).unwrap_or(u32::MAX);
        let last = |count: u32| {
            let end = hunk.new_start.saturating_add(count);
            end.saturating_sub(1).max(1)
        };
        Some(Self {
            range: (hunk.new_start.max(1), last(hunk.new_lines)),
            last_new_line: last(shown),
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
    fn an_insertion_beside_the_lines_touches_them() {
        let after_line_4 = hunk((4, 0), (5, 1));
        assert!(overlaps(&after_line_4, (5, 9)));
        assert!(overlaps(&after_line_4, (1, 4)));
        assert!(!overlaps(&after_line_4, (6, 9)));
        assert!(!overlaps(&hunk((4, 2), (4, 2)), (6, 9)));
    }

    #[test]
    fn a_shown_hunk_ends_with_the_commented_line() {
        let shown = Shown::parse("@@ -1,3 +10,4 @@ fn a\n context\n-gone\n+new\n").unwrap();
        assert_eq!((shown.range, shown.last_new_line), ((10, 13), 11));
        assert!(Shown::parse("@@ -1 @@").is_none());
        assert!(Shown::parse("").is_none());
        assert_eq!(Shown::parse("@@ -1 +1 @@\n+a").unwrap().range, (1, 1));
    }
}
