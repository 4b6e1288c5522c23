//! Places in the code as people and bots write them.

/// From the first to the last line of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lines {
    pub(super) first: u64,
    pub(super) last: u64,
}

const MAX_PATH_LEN: usize = 400;

/// `` `12-14`: what is wrong `` below the name of a file, and what follows it.
pub(super) fn lines_at_start(line: &str) -> Option<(Lines, &str)> {
    let (lines, mut rest) = in_backticks(line)?;
    // Several places: the first one stands for all.
    while let Some((_, after)) = rest.strip_prefix(", ").and_then(in_backticks) {
        rest = after;
    }
    let rest = rest.trim_start().strip_prefix(':')?;
    Some((lines, rest.trim_start()))
}

fn in_backticks(text: &str) -> Option<(Lines, &str)> {
    let (inside, rest) = text.strip_prefix('`')?.split_once('`')?;
    Some((lines(inside)?, rest))
}

/// `12`, `12-14`, `L12-L14`
fn lines(text: &str) -> Option<Lines> {
    let number = |text: &str| -> Option<u64> {
        let text = text.trim();
        let digits = text.strip_prefix('L').unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits
            .parse()
            .ok()
            .filter(|number| is_number && *number > 0)
    };
    let (first, last) = match text.split_once(['-', '–']) {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(text)?, number(text)?),
    };
    Some(Lines {
        first: first.min(last),
        last: first.max(last),
    })
}

/// `path:12` or `path:12-14` at the beginning of a line, in whatever marks, and
/// what follows it.
pub(super) fn place_at_start(line: &str) -> Option<(&str, Lines, &str)> {
    let line = without_item_mark(line).trim_start_matches(['#', ' ']);
    let line = line.trim_start_matches(['*', '`', '[']);
    let end = line
        .find(|character: char| character.is_whitespace() || matches!(character, '*' | '`' | ']'))
        .unwrap_or(line.len());
    let (place, rest) = line.split_at(end);
    let place = place.strip_suffix(':').unwrap_or(place);
    let (path, place) = place.split_once(':')?;
    // A column behind the line is nothing that matters here.
    let place = place.split(':').next().unwrap_or_default();
    let lines = lines(place)?;
    if !is_path(path) {
        return None;
    }
    // The marks that close, and what stands between a place and the words.
    let rest = rest.trim_start_matches(['*', '`', ']']);
    let rest = rest.trim_start_matches([':', ' ', '—', '-']);
    Some((path, lines, rest))
}

/// The address of lines on a forge's page: `…/blob/COMMIT/path#L12-L14`.
pub(super) fn permalink_in(line: &str) -> Option<(String, Option<Lines>)> {
    let (before, after) = line.split_once("/blob/")?;
    if !before.contains("://") {
        return None;
    }
    let end = after.find(|character: char| {
        character.is_whitespace() || matches!(character, ')' | '>' | '"' | '\'' | ']')
    });
    let address = after[..end.unwrap_or(after.len())].trim_end_matches(['.', ',', ';', ':']);
    let (commit, rest) = address.split_once('/')?;
    let is_commit = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    let (path, place) = rest.split_once('#')?;
    let path = path.split('?').next().unwrap_or_default();
    (is_commit && is_path(path)).then(|| (path.to_owned(), lines(place)))
}

/// Whether a word could be a file of a repository.
pub(super) fn is_path(text: &str) -> bool {
    let named = text.contains(['/', '.']) && text.contains(char::is_alphabetic);
    let strange = |character: char| character.is_control() || matches!(character, '<' | '>' | '`');
    named
        && text.len() <= MAX_PATH_LEN
        && text.trim() == text
        && !text.contains("://")
        && !text.contains(strange)
        && !text.starts_with(['/', '-'])
        && !text.ends_with(['/', '.'])
}

/// `1. `, `- `, `* `
pub(super) fn begins_item(line: &str) -> bool {
    without_item_mark(line).len() < line.len()
}

fn without_item_mark(line: &str) -> &str {
    if let Some(rest) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
        return rest;
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line[digits..].strip_prefix(". ") {
        Some(rest) if digits > 0 => rest,
        _ => line,
    }
}

/// The first words in bold, which are a title to most who write so.
pub(super) fn bold_in(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.contains("**"))?;
    let (_, from) = line.split_once("**")?;
    let (title, _) = from.split_once("**")?;
    let title = title.trim();
    (!title.is_empty() && title.len() <= 200).then(|| title.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_from_other_words() {
        let place = |text| {
            place_at_start(text).map(|(path, lines, rest)| {
                format!("{path} {}-{} | {rest}", lines.first, lines.last)
            })
        };
        for (text, expected) in [
            ("**src/a.rs:12**", Some("src/a.rs 12-12 | ")),
            (
                "- `src/a.rs:12-14`: rename",
                Some("src/a.rs 12-14 | rename"),
            ),
            ("src/a.rs:12:5: unused", Some("src/a.rs 12-12 | unused")),
            ("### a.py:L3-L1 — odd", Some("a.py 1-3 | odd")),
            ("2. [lib/x.go:7] check", Some("lib/x.go 7-7 | check")),
            ("at 12:30 we met", None),
            ("http://127.0.0.1:80 is down", None),
            ("note: this", None),
            ("1.5:3 is the ratio", None),
            ("/etc/passwd:1", None),
            ("", None),
        ] {
            assert_eq!(place(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn permalinks_name_a_file_at_a_commit() {
        let link = |text| permalink_in(text).map(|(path, lines)| (path, lines.map(|l| l.last)));
        let commit = "0123456789012345678901234567890123456789";
        let url = format!("see https://forge.invalid/o/r/blob/{commit}/src/a.rs#L3-L9.");
        assert_eq!(link(&url), Some(("src/a.rs".to_owned(), Some(9))));
        let url = format!("https://forge.invalid/o/r/blob/{commit}/src/a.rs#L3-L9)");
        assert_eq!(link(&url), Some(("src/a.rs".to_owned(), Some(9))));
        assert_eq!(link("https://forge.invalid/o/r/blob/main/a.rs#L3"), None);
        assert_eq!(link("/blob/"), None);
    }
}
