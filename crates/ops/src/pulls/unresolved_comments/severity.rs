//! How much a remark matters, where its author says so.

/// Words of severity in brackets, in badges and at the end of bots' labels.
const WORDS: &[&str] = &[
    "blocker", "blocking", "critical", "high", "info", "low", "major", "medium", "minor", "nit",
    "nitpick", "optional", "p0", "p1", "p2", "p3", "p4", "security", "trivial", "warning",
];
/// Signs by which bots grade.
const SIGNS: [char; 5] = ['🔴', '🟠', '🟡', '🟢', '🔵'];
/// A title may come first.
const MAX_HEAD_LINES: usize = 4;

/// Of the convention `label (decoration): subject`.
const LABELS: &[&str] = &[
    "bug",
    "chore",
    "issue",
    "nit",
    "nitpick",
    "note",
    "polish",
    "praise",
    "question",
    "suggestion",
    "thought",
    "todo",
    "typo",
];

/// The first line's own word for it: of a label in italics, a badge, a
/// bracket, or a conventional comment.
pub(super) fn parse(body: &str) -> Option<String> {
    let line = body
        .lines()
        .map(str::trim)
        .find(|line| !(line.is_empty() || line.starts_with("<!--") && line.ends_with("-->")))?;
    in_italics(line)
        .or_else(|| in_words(body))
        .or_else(|| in_badge(line))
        .or_else(|| in_brackets(line))
        .or_else(|| conventional(line))
}

/// `_⚠️ Potential issue_ | _🔴 Critical_`
fn in_italics(line: &str) -> Option<String> {
    let labels: Option<Vec<&str>> = line
        .split('|')
        .map(|part| part.trim().strip_prefix('_')?.strip_suffix('_'))
        .collect();
    let labels: Vec<&str> = labels?.into_iter().map(without_sign).collect();
    let graded = labels.iter().rev().find(|label| is_word(label));
    graded
        .or(labels.first())
        .filter(|label| !label.is_empty())
        .map(|label| (*label).to_owned())
}

/// `**High Severity**` or `Severity: high` in one of the first lines, or a sign with the word.
fn in_words(body: &str) -> Option<String> {
    let lines = body.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.take(MAX_HEAD_LINES).find_map(|line| {
        let line = line.trim_matches(['*', '#', '_', ' ', '`']);
        let lower = line.to_lowercase();
        let graded = lower.strip_suffix(" severity").or_else(|| {
            let (label, word) = lower.split_once(':')?;
            let is_label = label.trim_matches(['*', ' ']) == "severity";
            is_label.then_some(word.trim_matches(['*', ' ', '_']))
        });
        let word = match graded {
            Some(word) => without_sign(word),
            None if SIGNS.iter().any(|sign| line.starts_with(*sign)) => without_sign(line)
                .split([':', ' ', '*'])
                .next()
                .unwrap_or_default(),
            None => return None,
        };
        is_word(word).then(|| word.to_owned())
    })
}

/// `![high](…)`, `![P1 Badge](…)`
fn in_badge(line: &str) -> Option<String> {
    let (_, from) = line.split_once("![")?;
    let (text, _) = from.split_once("](")?;
    let word = text.strip_suffix(" Badge").unwrap_or(text);
    is_word(word).then(|| word.to_owned())
}

/// `[nit] …`
fn in_brackets(line: &str) -> Option<String> {
    let (word, _) = plain_start(line).strip_prefix('[')?.split_once(']')?;
    is_word(word).then(|| word.to_owned())
}

/// `suggestion (non-blocking): …`
fn conventional(line: &str) -> Option<String> {
    let (label, _) = plain_start(line).split_once(':')?;
    let word = label.split([' ', '(']).next().unwrap_or_default();
    let decoration = label[word.len()..].trim();
    let decorated = decoration.starts_with('(') && decoration.ends_with(')');
    let fits = LABELS.contains(&word.to_ascii_lowercase().as_str())
        && (decoration.is_empty() || decorated)
        && label.len() <= 60;
    fits.then(|| label.to_owned())
}

fn plain_start(line: &str) -> &str {
    line.trim_start_matches(['*', '#', ' ', '`'])
}

/// Without the sign that stands before it.
fn without_sign(label: &str) -> &str {
    label.trim_start_matches(|character: char| !character.is_ascii_alphanumeric())
}

fn is_word(text: &str) -> bool {
    WORDS.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn every_commenter_has_a_word_of_its_own() {
        for (body, word) in [
            (
                "_⚠️ Potential issue_ | _🔴 Critical_\n\n**Close it.**",
                Some("Critical"),
            ),
            (
                "_⚠️ Potential issue_ | _🟠 Major_ | _⚡ Quick win_",
                Some("Major"),
            ),
            (
                "_🛠️ Refactor suggestion_\n\ntext",
                Some("Refactor suggestion"),
            ),
            (
                "![high](https://example.invalid/high.svg)\n\ntext",
                Some("high"),
            ),
            (
                "**<sub>![P1 Badge](https://example.invalid/P1)</sub>  Check it**",
                Some("P1"),
            ),
            ("<!-- id: 1 -->\n[nit] spelling", Some("nit")),
            (
                "**suggestion (non-blocking):** rename",
                Some("suggestion (non-blocking)"),
            ),
            ("nit: spelling", Some("nit")),
            (
                "### Total is lost\n\n**High Severity**\n\ntext",
                Some("high"),
            ),
            ("**Severity:** Medium\n\ntext", Some("medium")),
            ("🔴 **Critical**: this loses data", Some("Critical")),
            ("🔴 is my favourite colour", None),
            ("the severity: high or not", None),
            ("Note that http://example.invalid is down", None),
            ("![screenshot](https://example.invalid/a.png)", None),
            ("see: this", None),
            ("", None),
            ("__", None),
        ] {
            assert_eq!(parse(body).as_deref(), word, "{body}");
        }
    }
}
