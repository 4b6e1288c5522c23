//! Parses `git diff-tree` with patches.

use baton_protocol::diff::{ChangeKind, DiffLine, DiffLineKind, FileDiff, Hunk};

use super::{changes, nul_fields, oid, text};

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
        } else if let Some(mut hunk) = Hunk::parse_header(&text(line)) {
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
