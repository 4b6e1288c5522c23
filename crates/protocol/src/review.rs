//! What the static review found: the output of `baton review --json`, and part
//! of the validation phase's details.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::TextRange;

/// All that is said about some files or a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewReport {
    /// Changes whenever the meaning of a field does.
    pub version: u32,
    /// In the order of the files, then by line.
    pub findings: Vec<ReviewFinding>,
    /// How many files were reviewed.
    pub files: u64,
    /// How many more findings a baseline knows.
    #[serde(default)]
    pub known: u64,
    /// Findings that a person has accepted. They are not among the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<AcceptedFinding>,
    /// What was not reviewed and why, and suppressions that suppress nothing.
    pub notes: Vec<String>,
}

/// A finding that a person has accepted for the repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AcceptedFinding {
    pub finding: ReviewFinding,
    pub reason: String,
    /// Who accepted it.
    pub author: String,
    /// The moment at which it stops to count; absent: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

/// One problem at one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewFinding {
    /// The rule's id, such as `python/sql-injection`.
    pub rule: String,
    pub kind: FindingKind,
    /// What it is about in every language, such as `sql-injection`.
    pub class: String,
    /// The number of the weakness in the CWE list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwe: Option<u32>,
    pub severity: FindingSeverity,
    pub file: String,
    pub range: TextRange,
    pub what: String,
    pub why: String,
    pub remedy: String,
    /// From where a value comes in to where it does harm.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<TraceStep>,
    /// The line, with anything secret masked.
    pub excerpt: String,
    /// The same for the same problem wherever its line moves.
    pub fingerprint: String,
    /// Short for it, such as `F-1a2b3c4d`: what `baton accept` takes.
    #[serde(default)]
    pub id: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TraceStep {
    pub file: String,
    pub range: TextRange,
    pub note: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    Security,
    Quality,
    Tamper,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    Low,
    Medium,
    High,
    Critical,
}

impl FindingSeverity {
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

impl fmt::Display for ReviewFinding {
    /// `what in file:line – why`, as the lists of the phase have it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.range.start.line;
        write!(f, "{} in {}:{line} – {}", self.what, self.file, self.why)
    }
}
