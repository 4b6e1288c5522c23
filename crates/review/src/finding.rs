//! The findings of a review.

use std::fmt;

/// How bad it is. Ordered: `Low < Medium < High < Critical`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Low,
    Medium,
    High,
    Critical,
}

impl Severity {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// One step down; low stays low.
    #[must_use]
    pub const fn lowered(self) -> Self {
        match self {
            Self::Critical => Self::High,
            Self::High => Self::Medium,
            Self::Medium | Self::Low => Self::Low,
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Which of the checks a finding belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    #[default]
    Security,
    Quality,
    Tamper,
}

impl Kind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Security => "security",
            Self::Quality => "quality",
            Self::Tamper => "tamper",
        }
    }
}

/// A range of a file. Lines and columns count from one; columns count characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub path: String,
    pub start_line: u32,
    pub start_column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.path, self.start_line)
    }
}

/// One step of a value on its way from its source to its sink.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub place: Place,
    /// A few words: "comes from `request.args`", "is assigned to `query`".
    pub note: String,
}

/// One problem at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// As in the rule's file name: `python/sql-injection`.
    pub rule: String,
    pub kind: Kind,
    /// What it is about in every language: `sql-injection`.
    pub class: String,
    pub cwe: Option<u32>,
    pub severity: Severity,
    pub place: Place,
    pub what: String,
    pub why: String,
    pub remedy: String,
    /// From the source to the sink, both included; empty for what needs no source.
    pub trace: Vec<Step>,
    /// The line of the place, with anything secret masked.
    pub excerpt: String,
    /// The same for the same problem in the same file wherever its line moves.
    pub fingerprint: String,
}

impl Finding {
    /// The short name that people type: `F-1a2b3c4d`.
    pub fn id(&self) -> String {
        short_id(&self.fingerprint)
    }
}

/// The short name of a fingerprint: its first digits after `F-`.
pub fn short_id(fingerprint: &str) -> String {
    /// Two findings of one project that share them need more digits.
    const DIGITS: usize = 8;
    let end = fingerprint.floor_char_boundary(DIGITS);
    format!("F-{}", &fingerprint[..end])
}

impl fmt::Display for Finding {
    /// *What* in `file:line` – *why*.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} in {} – {}", self.what, self.place, self.why)
    }
}
