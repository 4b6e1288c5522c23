//! Reads Maven: the tests that Surefire and Failsafe run, and builds that fail
//! before or without tests.

mod build;
mod diagnostics;
mod surefire;
mod surefire_lines;

use super::Tool;
use crate::diagnostics::DiagnosticsReader;

pub(super) use diagnostics::bracketed;
pub(super) use surefire::TOOL as SUREFIRE;

pub(super) const TOOL: Tool = Tool {
    diagnostics: &[DiagnosticsReader::distinctive(
        crate::diagnostics::Tool::Maven,
        diagnostics::read,
    )],
    ..build::TOOL
};

/// The level that Maven prints before a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// Output of a program, or of a plugin too old to print a level.
    None,
    Info,
    Warning,
    Error,
}

/// Removes `[ERROR] ` and the like. A timestamp may be before it, and GitHub's
/// annotations turn it into `Error:  `.
fn tagged(text: &str) -> (Level, &str) {
    const TAGS: [(&str, Level); 6] = [
        ("[ERROR]", Level::Error),
        ("[INFO]", Level::Info),
        ("[WARNING]", Level::Warning),
        ("[DEBUG]", Level::Info),
        ("Error: ", Level::Error),
        ("Warning: ", Level::Warning),
    ];
    let start = text.trim_start_matches(|c: char| c.is_ascii_digit() || ":.,-TZ ".contains(c));
    for (tag, level) in TAGS {
        let from = if tag.starts_with('[') { start } else { text };
        if let Some(rest) = from.strip_prefix(tag) {
            return (level, rest.strip_prefix(' ').unwrap_or(rest));
        }
    }
    (Level::None, text)
}

#[cfg(test)]
mod tests {
    use super::{Level, tagged};

    #[test]
    fn levels_are_removed() {
        assert_eq!(tagged("[ERROR]   A.b:3 no"), (Level::Error, "  A.b:3 no"));
        assert_eq!(
            tagged("12:59:02,936 [WARNING] Flakes: "),
            (Level::Warning, "Flakes: ")
        );
        assert_eq!(
            tagged("Error:  Tests run: 1"),
            (Level::Error, "Tests run: 1")
        );
        assert_eq!(tagged("\tat a.B.c(B.java:1)").0, Level::None);
        assert_eq!(tagged("  3 of 4").1, "  3 of 4");
    }
}
