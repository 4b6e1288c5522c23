//! The lines that a finding is about, followed through the commits of a fix.

use std::path::{Path, PathBuf};

use baton_host::git::{ChangeKind, FileDiff, Git, GitError, LogEntry, Oid};
use baton_protocol::diff::LineAfter;
use baton_protocol::handoff::Location;

/// What each commit of a fix changes, the oldest first.
pub(super) struct Changes<'m> {
    each: Vec<(&'m LogEntry, Vec<FileDiff>)>,
}

/// Lines of a file, in one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flagged {
    pub(super) path: PathBuf,
    /// First and last; absent for the file as a whole.
    pub(super) lines: Option<(u32, u32)>,
}

impl<'m> Changes<'m> {
    /// Of the commits that lead from `start` to the newest one. What a merge
    /// brings in is changed by the merge, and not by each commit of the other side.
    pub(super) async fn read(
        git: &Git,
        start: &Oid,
        made: &'m [LogEntry],
    ) -> Result<Self, GitError> {
        let mut each = Vec::new();
        let mut next = made.last();
        while let Some(entry) = next {
            let Some(parent) = entry.parents.first() else {
                break;
            };
            let diff = git.diff(parent.as_str(), entry.commit.as_str(), 0).await?;
            each.push((entry, diff));
            next = made
                .iter()
                .find(|other| other.commit == *parent && parent != start);
        }
        each.reverse();
        Ok(Self { each })
    }

    /// The commits that change a line no farther away than `reach`. Without a
    /// location, all of them.
    pub(super) fn touching(&self, location: Option<&Location>, reach: u32) -> Vec<&'m LogEntry> {
        let Some(location) = location else {
            return self.each.iter().map(|(entry, _)| *entry).collect();
        };
        let mut flagged = Some(Flagged::new(location));
        let mut touching = Vec::new();
        for (entry, diff) in &self.each {
            let Some(lines) = flagged else { break };
            if lines.is_touched(diff, reach) {
                touching.push(*entry);
            }
            flagged = lines.after(diff);
        }
        touching
    }

    /// Where the lines are after the newest commit; absent when their file is gone.
    pub(super) fn moved(&self, location: &Location) -> Option<Flagged> {
        let mut diffs = self.each.iter().map(|(_, diff)| diff);
        diffs.try_fold(Flagged::new(location), |lines, diff| lines.after(diff))
    }
}

impl Flagged {
    fn new(location: &Location) -> Self {
        let line = location.line();
        let line = line.and_then(|line| u32::try_from(line.get()).ok());
        Self {
            path: PathBuf::from(location.path()),
            lines: line.map(|line| (line, line)),
        }
    }

    /// Whether lines of the same file are no farther away than `reach`.
    pub(super) fn is_near(&self, path: &Path, (first, last): (u32, u32), reach: u32) -> bool {
        let is_near = self.lines.is_none_or(|(from, to)| {
            first <= to.saturating_add(reach) && last.saturating_add(reach) >= from
        });
        self.path == path && is_near
    }

    fn is_touched(&self, diff: &[FileDiff], reach: u32) -> bool {
        let Some(file) = self.file(diff) else {
            return false;
        };
        let Some((first, last)) = self.lines.filter(|_| file.kind != ChangeKind::Deleted) else {
            return true;
        };
        let (first, last) = (first.saturating_sub(reach), last.saturating_add(reach));
        file.hunks.iter().any(|hunk| match hunk.old_lines {
            // New lines stand between the one that is named and the next.
            0 => first <= hunk.old_start && hunk.old_start < last,
            lines => hunk.old_start <= last && hunk.old_start.saturating_add(lines) > first,
        })
    }

    /// The same lines after a commit. What the commit changed grows to all that
    /// replaces it.
    fn after(&self, diff: &[FileDiff]) -> Option<Self> {
        let Some(file) = self.file(diff) else {
            return Some(self.clone());
        };
        (file.kind != ChangeKind::Deleted).then(|| Self {
            path: file.path.clone(),
            lines: self
                .lines
                .map(|lines| LineAfter::follow_range(lines, &file.hunks)),
        })
    }

    fn file<'d>(&self, diff: &'d [FileDiff]) -> Option<&'d FileDiff> {
        diff.iter().find(|file| file.changes(&self.path))
    }
}
