//! As much of a text as an answer has room for.

/// GitHub takes 65,536 characters in a comment; no one reads them all.
const MAX_BODY_LEN: usize = 8_000;
const MAX_REPLY_LEN: usize = 1_500;
const MAX_FINDING_LEN: usize = 1_500;
/// The lines above the commented one, which is a hunk's last.
const HUNK_LINES: usize = 12;
const MAX_HUNK_LEN: usize = 2_000;
const MAX_TITLE_LEN: usize = 80;

/// A text, and whether something is missing at its end.
pub(super) type Cut = (String, bool);

pub(super) fn body(text: &str) -> Cut {
    cut(text, MAX_BODY_LEN)
}

pub(super) fn reply(text: &str) -> Cut {
    cut(text, MAX_REPLY_LEN)
}

pub(super) fn finding(text: &str) -> String {
    let (mut text, is_cut) = cut(text, MAX_FINDING_LEN);
    if is_cut {
        text.push('…');
    }
    text
}

fn cut(text: &str, longest: usize) -> Cut {
    match text.char_indices().nth(longest) {
        Some((end, _)) => (text[..end].to_owned(), true),
        None => (text.to_owned(), false),
    }
}

/// The head of a diff hunk and its last lines, as forges show it.
pub(super) fn hunk(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let (head, rest) = lines.split_first()?;
    let skipped = rest.len().saturating_sub(HUNK_LINES);
    let mut shown = (*head).to_owned();
    for line in &rest[skipped..] {
        shown.push('\n');
        shown += line;
    }
    let (shown, _) = cut(&shown, MAX_HUNK_LEN);
    Some(shown)
}

/// The first line that says something, to name a comment by.
pub(super) fn title(text: &str) -> String {
    let text = without_html_comments(text);
    let line = text.lines().map(str::trim).find(|line| {
        let is_badge = line.starts_with('_') && line.ends_with('_');
        line.chars().any(char::is_alphanumeric) && !is_badge && !line.starts_with('<')
    });
    let words = line.unwrap_or_default().trim_matches(['*', '#', ' ']);
    let plain: String = words.chars().filter(|c| !c.is_control()).collect();
    let (mut title, is_cut) = cut(&plain, MAX_TITLE_LEN);
    if is_cut {
        title.push('…');
    }
    title
}

pub(super) fn says_nothing(text: &str) -> bool {
    without_html_comments(text).trim().is_empty()
}

/// Programs keep notes to themselves in them; no one sees them on a page.
fn without_html_comments(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("<!--") {
        shown += before;
        match from.split_once("-->") {
            Some((_, after)) => rest = after,
            None => return shown,
        }
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_that_a_reader_sees() {
        let bot = "<!-- state: x -->\n_⚠️ Potential issue_ | _🔴 Critical_\n\n**Close the file.**\n\nIt …";
        assert_eq!(title(bot), "Close the file.");
        assert_eq!(title("\u{1b}[31mred\u{7}"), "[31mred");
        assert_eq!(title(&"x".repeat(200)), format!("{}…", "x".repeat(80)));
        assert_eq!(title("<!-- never closed"), "");
    }

    #[test]
    fn notes_of_programs_say_nothing() {
        assert!(says_nothing(" <!-- a -->\n<!-- b -->\n"));
        assert!(!says_nothing("<!-- a --> ok"));
    }

    #[test]
    fn a_hunk_keeps_its_head_and_the_commented_line() {
        let long: Vec<String> = (1..=40).map(|n| format!(" line {n}")).collect();
        let text = format!("@@ -1,40 +1,40 @@\n{}", long.join("\n"));
        let shown = hunk(&text).unwrap();
        assert!(
            shown.starts_with("@@ -1,40 +1,40 @@\n line 29\n"),
            "{shown}"
        );
        assert!(shown.ends_with(" line 40"));
        assert_eq!(hunk(""), None);
    }

    #[test]
    fn cuts_fall_between_characters() {
        let (text, is_cut) = body(&"é".repeat(20_000));
        assert_eq!((text.chars().count(), is_cut), (MAX_BODY_LEN, true));
    }
}
