//! Parses places in source code as linters and compilers print them.

use baton_protocol::diagnostic::TextRange;

/// `path:line` or `path:line:column` at the beginning of a text, and what
/// follows.
pub(super) struct Place<'a> {
    pub(super) file: &'a str,
    pub(super) line: u64,
    pub(super) column: Option<u64>,
    pub(super) rest: &'a str,
}

impl<'a> Place<'a> {
    pub(super) fn leading(text: &'a str) -> Option<Self> {
        let (file, line, _) = crate::place::leading(text)?;
        let after = text.get(file.len() + 1..)?;
        let (_, rest) = number(after)?;
        let (column, rest) = match rest.strip_prefix(':').and_then(number) {
            Some((column, rest)) => (Some(column), rest),
            None => (None, rest),
        };
        Some(Self {
            file: file.strip_prefix("./").unwrap_or(file),
            line,
            column,
            rest,
        })
    }

    pub(super) fn range(&self) -> TextRange {
        TextRange::point(self.line, self.column)
    }
}

/// A number at the beginning, and what follows.
pub(super) fn number(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let value = text[..digits].parse().ok()?;
    Some((value, &text[digits..]))
}

/// `[rule]` or `(rule)` at the end of a message.
pub(super) fn trailing_rule(text: &str, brackets: [char; 2]) -> (&str, Option<&str>) {
    let found = text
        .strip_suffix(brackets[1])
        .and_then(|text| text.rsplit_once(brackets[0]))
        .filter(|(_, rule)| !rule.is_empty() && !rule.contains(char::is_whitespace));
    match found {
        Some((message, rule)) => (message.trim_end(), Some(rule)),
        None => (text, None),
    }
}
