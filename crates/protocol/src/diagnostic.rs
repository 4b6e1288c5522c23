//! What a formatter, linter or compiler says about a place in the code.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One complaint of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Diagnostic {
    /// The tool that complains, such as `eslint`.
    pub tool: String,
    /// The file as the tool names it; relative to the working directory where
    /// that is known. Absent when the complaint is about no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<TextRange>,
    /// The tool's own name for the rule or error, such as `no-unused-vars`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    pub severity: DiagnosticSeverity,
    pub message: String,
    /// How the tool would mend it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

/// Where in a file; lines and columns count from 1, columns in the tool's own
/// units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct TextRange {
    pub start: TextPosition,
    /// Just behind the last character, where the tool says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<TextPosition>,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct TextPosition {
    pub line: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum DiagnosticSeverity {
    Note,
    Warning,
    Error,
}

/// A tool's offer to mend what it complains about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Fix {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The tool applies it by itself when asked to fix; otherwise a person
    /// should look at it first.
    pub is_automatic: bool,
    /// Empty where the tool can fix it but does not say how.
    pub edits: Vec<Edit>,
}

/// Text that takes the place of a range.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Edit {
    pub range: TextRange,
    pub replacement: String,
}

impl Diagnostic {
    pub fn new(tool: &str, message: impl Into<String>) -> Self {
        Self {
            tool: tool.to_owned(),
            file: None,
            range: None,
            rule: None,
            severity: DiagnosticSeverity::Error,
            message: message.into(),
            fix: None,
        }
    }

    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    #[must_use]
    pub fn at(mut self, range: TextRange) -> Self {
        self.range = Some(range);
        self
    }

    #[must_use]
    pub fn with_rule(mut self, rule: impl Into<String>) -> Self {
        self.rule = Some(rule.into());
        self
    }

    #[must_use]
    pub fn with_severity(mut self, severity: DiagnosticSeverity) -> Self {
        self.severity = severity;
        self
    }

    #[must_use]
    pub fn mended_by(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }

    /// The first line, where one is told.
    pub fn line(&self) -> Option<u64> {
        self.range.map(|range| range.start.line)
    }
}

impl TextRange {
    /// A place whose end is not told.
    pub fn point(line: u64, column: Option<u64>) -> Self {
        Self {
            start: TextPosition { line, column },
            end: None,
        }
    }

    pub fn between(start: (u64, u64), end: (u64, u64)) -> Self {
        let position = |(line, column)| TextPosition {
            line,
            column: Some(column),
        };
        Self {
            start: position(start),
            end: Some(position(end)),
        }
    }
}

impl Fix {
    /// The tool can, and says no more.
    pub fn automatic() -> Self {
        Self {
            is_automatic: true,
            ..Self::default()
        }
    }
}

/// `message (rule) at file:line`, or `CODE message at file:line`: what the
/// issue lists of the phase hold.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.rule {
            Some(code) if is_code(code) => write!(f, "{code} {}", self.message)?,
            Some(rule) => write!(f, "{} ({rule})", self.message)?,
            None => f.write_str(&self.message)?,
        }
        match (&self.file, self.line()) {
            (Some(file), Some(line)) => write!(f, " at {file}:{line}"),
            (Some(file), None) => write!(f, " in {file}"),
            (None, _) => Ok(()),
        }
    }
}

/// Numbered, as in `F401` or `TS2322`, and not named.
fn is_code(rule: &str) -> bool {
    rule.starts_with(|c: char| c.is_ascii_uppercase())
        && rule.ends_with(|c: char| c.is_ascii_digit())
        && rule.bytes().all(|b| b.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_issue_list_says() {
        let plain = Diagnostic::new("eslint", "'x' is never used");
        assert_eq!(plain.to_string(), "'x' is never used");
        let full = plain
            .with_rule("no-unused-vars")
            .in_file("src/a.ts")
            .at(TextRange::point(4, Some(7)));
        assert_eq!(
            full.to_string(),
            "'x' is never used (no-unused-vars) at src/a.ts:4"
        );
        let coded = Diagnostic::new("ruff", "`os` imported but unused").with_rule("F401");
        assert_eq!(coded.to_string(), "F401 `os` imported but unused");
        let whole_file = Diagnostic::new("prettier", "not formatted").in_file("a.ts");
        assert_eq!(whole_file.to_string(), "not formatted in a.ts");
    }
}
