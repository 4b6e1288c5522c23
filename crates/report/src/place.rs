//! Parses places in source code as tools print them.

use baton_protocol::diagnostic::{Diagnostic, TextRange};
use memchr::{memchr, memrchr2};

/// Reads `path:line` or `path:line:column` at the beginning of a text, and
/// returns the rest too. Windows drive letters and URLs with ports are not
/// places.
pub(crate) fn leading(text: &str) -> Option<(&str, u64, &str)> {
    let mut from = 0;
    // `C:\a.ts:3` has a colon that belongs to the path.
    if text.len() > 2 && text.as_bytes()[1] == b':' && matches!(text.as_bytes()[2], b'\\' | b'/') {
        from = 2;
    }
    while let Some(colon) = memchr(b':', &text.as_bytes()[from..]).map(|at| from + at) {
        let after = &text[colon + 1..];
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0
            && colon > 0
            && let Ok(line) = after[..digits].parse()
        {
            let mut rest = &after[digits..];
            if let Some(column) = rest.strip_prefix(':') {
                let digits = column.bytes().take_while(u8::is_ascii_digit).count();
                if digits > 0 {
                    rest = &column[digits..];
                }
            }
            return Some((&text[..colon], line, rest));
        }
        from = colon + 1;
    }
    None
}

/// `path:line` or `path:line:column` at the beginning of a text, and what
/// follows.
pub(crate) struct Place<'a> {
    pub(crate) file: &'a str,
    pub(crate) line: u64,
    column: Option<u64>,
    pub(crate) rest: &'a str,
}

impl<'a> Place<'a> {
    pub(crate) fn leading(text: &'a str) -> Option<Self> {
        let (file, line, _) = leading(text)?;
        let (_, rest) = number(text.get(file.len() + 1..)?)?;
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

    pub(crate) fn range(&self) -> TextRange {
        TextRange::point(self.line, self.column)
    }

    /// A diagnostic about this place.
    pub(crate) fn diagnostic(&self, tool: &str, message: impl Into<String>) -> Diagnostic {
        self.locate(Diagnostic::new(tool, message))
    }

    pub(crate) fn locate(&self, diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.in_file(self.file).at(self.range())
    }
}

/// A number at the beginning, and what follows.
pub(crate) fn number(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let value = text[..digits].parse().ok()?;
    Some((value, &text[digits..]))
}

/// `4,7` or `4:7`: a line and perhaps a column, and what follows.
pub(crate) fn position(text: &str, separator: char) -> Option<(TextRange, &str)> {
    let (line, rest) = number(text)?;
    match rest.strip_prefix(separator).and_then(number) {
        Some((column, rest)) => Some((TextRange::point(line, Some(column)), rest)),
        None => Some((TextRange::point(line, None), rest)),
    }
}

/// `[rule]` or `(rule)` at the end of a message.
pub(crate) fn trailing_rule(text: &str, brackets: [char; 2]) -> (&str, Option<&str>) {
    let found = text
        .strip_suffix(brackets[1])
        .and_then(|text| text.rsplit_once(brackets[0]))
        .filter(|(_, rule)| !rule.is_empty() && !rule.contains(char::is_whitespace));
    match found {
        Some((message, rule)) => (message.trim_end(), Some(rule)),
        None => (text, None),
    }
}

/// It has an extension, and is neither a number nor an address.
pub(crate) fn looks_like_a_file(path: &str) -> bool {
    let folders = memrchr2(b'/', b'\\', path.as_bytes()).map_or(0, |at| at + 1);
    let name = &path[folders..];
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    !stem.is_empty()
        && (1..=10).contains(&extension.len())
        && extension.bytes().all(|b| b.is_ascii_alphanumeric())
        && extension.bytes().any(|b| b.is_ascii_alphabetic())
        && !(path.contains(':') && path.contains("://"))
}

/// Whether two paths can be the same file. One may be absolute, or lack leading
/// folders, or be relative to another folder.
pub(crate) fn same_file(one: &str, other: &str) -> bool {
    let normal = |path: &str| path.trim_start_matches("file://").replace('\\', "/");
    let (one, other) = (normal(one), normal(other));
    let (one, other) = (without_root(&one), without_root(&other));
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    !one.is_empty() && !other.is_empty() && (ends(one, other) || ends(other, one))
}

fn without_root(path: &str) -> &str {
    path.trim_start_matches("./")
        .trim_start_matches("../")
        .trim_start_matches('/')
}

/// The text after the last dot of a file's name; empty if there is none.
pub(crate) fn extension(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

#[cfg(test)]
mod tests {
    use super::{leading, looks_like_a_file, same_file};

    #[test]
    fn places_are_read() {
        assert_eq!(
            leading("src/a.rs:3:7: error"),
            Some(("src/a.rs", 3, ": error"))
        );
        assert_eq!(
            leading("a_test.go:12: got"),
            Some(("a_test.go", 12, ": got"))
        );
        assert_eq!(leading("C:\\a\\b.ts:4"), Some(("C:\\a\\b.ts", 4, "")));
        assert_eq!(leading("no place"), None);
        assert_eq!(leading(":3"), None);
        assert!(!looks_like_a_file("127.0.0.1"));
        assert!(!looks_like_a_file("http://x.y"));
    }

    #[test]
    fn files_are_compared_by_their_ends() {
        assert!(same_file("/home/dev/app/tests/a.py", "tests/a.py"));
        assert!(same_file("/app/test/a.js", "./test/a.js"));
        assert!(same_file("../tests/a.py", "app/tests/a.py"));
        assert!(same_file("a.js", "file:///app/a.js"));
        assert!(!same_file("other_tests/a.py", "tests/a.py"));
        assert!(!same_file("test/a.ts", "/w/test/aa.ts"));
        assert!(!same_file("ba.js", "a.js"));
        assert!(!same_file("", "a.js"));
        assert!(!same_file("", ""));
    }
}
