//! What the sides say where they differ.

use std::iter;

use baton_host::git::Oid;

use super::conflict::Conflict;
use super::contents::{Content, Contents};

const MAX_LINES: usize = 20;
const MAX_CHARACTERS: usize = 1500;
/// How much of a file git looks at to tell text from the rest.
const LOOKED_AT: usize = 8000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sides {
    pub(super) target: String,
    pub(super) head: String,
    pub(super) ancestor: Option<String>,
}

pub(super) fn sides(contents: &Contents, conflict: &Conflict) -> Sides {
    let [ancestor, target, head] = &conflict.versions;
    let ancestor = version(contents, ancestor.as_ref());
    let target = version(contents, target.as_ref());
    let head = version(contents, head.as_ref());
    if target.is_some()
        && head.is_some()
        && let Some(Content::Text(merged)) = contents.merged(conflict)
    {
        let merged = String::from_utf8_lossy(merged);
        if let Some(region) = first_region(&merged) {
            return Sides {
                ancestor: ancestor.map(|text| around(&text, &merged, &region)),
                target: cut(region.ours.iter().copied()),
                head: cut(region.theirs.iter().copied()),
            };
        }
    }
    let start = |text: Option<String>| text.map(|text| cut(text.lines()));
    Sides {
        target: start(target).unwrap_or_default(),
        head: start(head).unwrap_or_default(),
        ancestor: start(ancestor),
    }
}

/// A version as text. Binary content is only said to be such; a submodule's
/// commit is no content of this repository.
fn version(contents: &Contents, id: Option<&Oid>) -> Option<String> {
    let id = id?;
    Some(match contents.version(id.as_str()) {
        None => format!("(commit {id})"),
        Some(Content::TooLarge { bytes }) => format!("({bytes} bytes)"),
        Some(Content::Text(bytes)) if bytes.iter().take(LOOKED_AT).any(|&byte| byte == 0) => {
            format!("(binary, {} bytes)", bytes.len())
        }
        Some(Content::Text(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
    })
}

struct Region<'a> {
    /// How many lines of the file come before it, and up to its end.
    line: usize,
    end: usize,
    ours: Vec<&'a str>,
    theirs: Vec<&'a str>,
}

/// The first place with markers.
fn first_region(merged: &str) -> Option<Region<'_>> {
    let mut lines = merged.lines().enumerate();
    let (start, _) = lines.find(|(_, line)| line.starts_with("<<<<<<<"))?;
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    let mut side = Some(&mut ours);
    for (number, line) in lines {
        if line.starts_with(">>>>>>>") {
            return Some(Region {
                line: start,
                end: number + 1,
                ours,
                theirs,
            });
        }
        if line.starts_with("|||||||") {
            side = None;
        } else if line.starts_with("=======") {
            side = Some(&mut theirs);
        } else if let Some(side) = &mut side {
            side.push(line);
        }
    }
    None
}

/// The ancestor's lines where the conflict is: those between the last line
/// which both texts share in front of it and the first one behind it.
fn around(ancestor: &str, merged: &str, region: &Region<'_>) -> String {
    let lines: Vec<_> = ancestor.lines().collect();
    let line = region.line;
    let before = line
        .checked_sub(1)
        .and_then(|last| merged.lines().nth(last));
    let start = before.and_then(|before| {
        let near = |index: &usize| index.abs_diff(line.saturating_sub(1));
        let same = |index: &usize| lines[*index] == before;
        (0..lines.len()).filter(same).min_by_key(near)
    });
    let start = start.map_or(0, |index| index + 1);
    let after = merged.lines().nth(region.end);
    let rest = &lines[start..];
    let length = after.and_then(|after| rest.iter().position(|line| *line == after));
    cut(rest[..length.unwrap_or(rest.len())].iter().copied())
}

fn cut<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut lines = lines.peekable();
    let mut text = String::new();
    for line in iter::from_fn(|| lines.next()).take(MAX_LINES) {
        if text.len() + line.len() > MAX_CHARACTERS {
            let room = MAX_CHARACTERS.saturating_sub(text.len());
            text.extend(line.chars().take(room));
            return text + "…";
        }
        text += line;
        text.push('\n');
    }
    if lines.peek().is_some() {
        text += "…";
    }
    text.trim_end_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_the_first_place_are_found() {
        let merged = "a\n<<<<<<< main\nours\n=======\ntheirs\nmore\n>>>>>>> x\nb\n";
        let region = first_region(merged).unwrap();
        assert_eq!(
            (region.line, &region.ours[..], &region.theirs[..]),
            (1, &["ours"][..], &["theirs", "more"][..])
        );
        assert!(first_region("a\n<<<<<<< no end\n").is_none());
        assert_eq!(around("a\nold\nb\n", merged, &region), "old");
    }

    #[test]
    fn long_texts_are_cut_and_say_so() {
        let many = "line\n".repeat(30);
        assert!(cut(many.lines()).ends_with("…"));
        let long = "é".repeat(5000);
        assert_eq!(cut(long.lines()).chars().count(), MAX_CHARACTERS + 1);
    }
}
