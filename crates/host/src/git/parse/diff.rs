//! Parses `git diff-tree` with patches.

use super::{changes, nul_fields, oid, text};
use crate::git::{ChangeKind, Oid};
use std::path::PathBuf;

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
}

impl Hunk {
    /// The lines that are new, with their numbers in the file as it is now.
    pub fn added(&self) -> impl Iterator<Item = (u32, &str)> {
        let mut next = self.new_start;
        self.lines.iter().filter_map(move |line| {
            let number = next;
            if matches!(line.kind, DiffLineKind::Context | DiffLineKind::Added) {
                next = next.saturating_add(1);
            }
            (line.kind == DiffLineKind::Added).then_some((number, line.text.as_str()))
        })
    }
}

/// Reads `git diff-tree -z --raw --patch --full-index`: names from the first
/// part, which does not quote them, lines from the second.
pub fn diff(bytes: &[u8]) -> Vec<FileDiff> {
    let (mut files, patch) = raw(bytes);
    let mut sections = sections(patch).into_iter();
    for file in &mut files {
        // Another type is another file: the old one goes, the new one comes.
        let count = match file.kind {
            ChangeKind::TypeChanged => 2,
            _ => 1,
        };
        for section in sections.by_ref().take(count) {
            file.is_binary |= section.is_binary;
            file.hunks.extend(section.hunks);
        }
    }
    files
}

/// The list of files, and what follows it.
fn raw(bytes: &[u8]) -> (Vec<FileDiff>, &[u8]) {
    let mut files = Vec::new();
    let mut rest = bytes;
    while rest.starts_with(b":") {
        let mut consumed = 0;
        let mut fields = nul_fields(rest).inspect(|field| consumed += field.len() + 1);
        let Some(file) = fields.next().and_then(|head| raw_file(head, &mut fields)) else {
            break;
        };
        drop(fields);
        rest = &rest[consumed..];
        files.push(file);
    }
    (files, rest.strip_prefix(b"\0").unwrap_or(rest))
}

fn raw_file<'a>(head: &[u8], names: &mut impl Iterator<Item = &'a [u8]>) -> Option<FileDiff> {
    let mut parts = head.strip_prefix(b":")?.split(|&byte| byte == b' ');
    let (old_mode, new_mode) = (text(parts.next()?), text(parts.next()?));
    let (old, new) = (oid(parts.next()?)?, oid(parts.next()?)?);
    let changed = changes::changed_file(parts.next()?, names)?;
    Some(FileDiff {
        kind: changed.kind,
        path: changed.path,
        old,
        new,
        old_mode,
        new_mode,
        is_binary: false,
        hunks: Vec::new(),
    })
}

#[derive(Default)]
struct Section {
    is_binary: bool,
    hunks: Vec<Hunk>,
}

fn sections(patch: &[u8]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut lines = patch.split(|&byte| byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        if line.starts_with(b"diff --git ") {
            sections.push(Section::default());
            continue;
        }
        let Some(section) = sections.last_mut() else {
            continue;
        };
        if line.starts_with(b"Binary files ") || line == b"GIT binary patch" {
            section.is_binary = true;
        } else if let Some(mut hunk) = hunk_header(line) {
            // Counted, not recognised: content may look like anything.
            let (mut old, mut new) = (hunk.old_lines, hunk.new_lines);
            while let Some(line) = lines.next_if(|line| old > 0 || new > 0 || is_remark(line)) {
                let line = diff_line(line);
                match line.kind {
                    DiffLineKind::Context => {
                        old = old.saturating_sub(1);
                        new = new.saturating_sub(1);
                    }
                    DiffLineKind::Removed => old = old.saturating_sub(1),
                    DiffLineKind::Added => new = new.saturating_sub(1),
                    DiffLineKind::NoNewline => {}
                }
                hunk.lines.push(line);
            }
            section.hunks.push(hunk);
        }
    }
    sections
}

fn is_remark(line: &[u8]) -> bool {
    line.starts_with(b"\\")
}

fn diff_line(line: &[u8]) -> DiffLine {
    let (kind, rest) = match line.split_first() {
        Some((b'+', rest)) => (DiffLineKind::Added, rest),
        Some((b'-', rest)) => (DiffLineKind::Removed, rest),
        Some((b'\\', rest)) => (DiffLineKind::NoNewline, rest),
        Some((b' ', rest)) => (DiffLineKind::Context, rest),
        _ => (DiffLineKind::Context, line),
    };
    DiffLine {
        kind,
        text: text(rest),
    }
}

/// `@@ -1,3 +1,4 @@ fn main() {`
fn hunk_header(line: &[u8]) -> Option<Hunk> {
    let line = text(line.strip_prefix(b"@@ -")?);
    let (old, rest) = line.split_once(" +")?;
    let (new, heading) = rest.split_once(" @@")?;
    let ((old_start, old_lines), (new_start, new_lines)) = (span(old)?, span(new)?);
    Some(Hunk {
        old_start,
        old_lines,
        new_start,
        new_lines,
        heading: heading.trim_start().to_owned(),
        lines: Vec::new(),
    })
}

fn span(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((start, lines)) => Some((start.parse().ok()?, lines.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}
