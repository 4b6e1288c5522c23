//! Where in a pull request's diff a comment can stand: a forge takes comments on
//! the lines that it shows, and no others.

use baton_host::git::{FileDiff, Hunk};

use crate::review_comment::ReviewComment;

/// The unchanged lines that a forge shows around a change.
pub(super) const SHOWN: u32 = 3;

/// Last line, and the first where it is another one.
pub(super) type Lines = (u64, Option<u64>);

pub(super) fn find(comment: &ReviewComment, diff: &[FileDiff]) -> Option<Lines> {
    let file = diff
        .iter()
        .find(|file| file.path.to_str() == Some(&comment.path))?;
    let (first, last) = (comment.lines.0, comment.lines.1.max(comment.lines.0));
    let mut shown = file.hunks.iter().filter_map(Hunk::new_range);
    let shown = shown.find(|lines| lines.contains(&first))?;
    let last = u64::from(last.min(*shown.end()));
    let first = u64::from(first);
    Some((last, (first < last).then_some(first)))
}

#[cfg(test)]
mod tests {
    use baton_host::git::{ChangeKind, Oid};
    use baton_protocol::handoff::Severity;

    use super::*;

    #[test]
    fn only_lines_that_are_shown_take_a_comment() {
        let oid = Oid::parse(&"0".repeat(40)).unwrap();
        let diff = [FileDiff {
            kind: ChangeKind::Modified,
            path: "a.rs".into(),
            old: oid.clone(),
            new: oid,
            old_mode: String::new(),
            new_mode: String::new(),
            is_binary: false,
            hunks: vec![Hunk {
                old_start: 10,
                old_lines: 2,
                new_start: 10,
                new_lines: 5,
                heading: String::new(),
                lines: Vec::new(),
            }],
        }];
        let at = |path: &str, lines| {
            let comment = ReviewComment {
                severity: Severity::Important,
                path: path.to_owned(),
                lines,
                rule: String::new(),
                what: String::new(),
                why: String::new(),
                remedy: String::new(),
                excerpt: String::new(),
                fingerprint: String::new(),
            };
            find(&comment, &diff)
        };
        assert_eq!(at("a.rs", (10, 10)), Some((10, None)));
        assert_eq!(at("a.rs", (12, 99)), Some((14, Some(12))));
        assert_eq!(at("a.rs", (12, 0)), Some((12, None)));
        assert_eq!(at("a.rs", (15, 15)), None);
        assert_eq!(at("b.rs", (10, 10)), None);
    }
}
