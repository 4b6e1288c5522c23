//! Findings that were there before, by fingerprint, in a file that people can
//! read and git can merge: a line for each, sorted.

use std::collections::BTreeMap;
use std::fmt;

use crate::finding::Finding;

/// A reader that does not know this version must not guess.
const HEAD: &str = "# baton review baseline 1";

/// Known problems, which are not reported again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The rule and path are for the reader; the fingerprint decides.
    entries: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaselineError {
    #[error("the baseline does not begin with `{HEAD}`; write it again with this version")]
    Version,
    #[error("line {line} of the baseline is not a fingerprint; write the baseline again")]
    Line { line: usize },
}

impl Baseline {
    /// All of these are known from now on.
    pub fn new(findings: &[Finding]) -> Self {
        let entry = |finding: &Finding| {
            let about = format!("{} {}", finding.rule, finding.place.path);
            let clean = about
                .chars()
                .filter(|letter| !letter.is_control())
                .collect();
            (finding.fingerprint.clone(), clean)
        };
        Self {
            entries: findings.iter().map(entry).collect(),
        }
    }

    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let mut lines = text.lines().enumerate();
        if lines.next().is_none_or(|(_, head)| head.trim_end() != HEAD) {
            return Err(BaselineError::Version);
        }
        let mut entries = BTreeMap::new();
        for (index, line) in lines {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (fingerprint, about) = line.split_once(' ').unwrap_or((line, ""));
            if !fingerprint.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(BaselineError::Line { line: index + 1 });
            }
            entries.insert(fingerprint.to_owned(), about.to_owned());
        }
        Ok(Self { entries })
    }

    pub fn contains(&self, finding: &Finding) -> bool {
        self.entries.contains_key(&finding.fingerprint)
    }

    /// Keeps the new findings and returns how many were known.
    pub fn retain_new(&self, findings: &mut Vec<Finding>) -> usize {
        let before = findings.len();
        findings.retain(|finding| !self.contains(finding));
        before - findings.len()
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{HEAD}")?;
        for (fingerprint, about) in &self.entries {
            writeln!(formatter, "{fingerprint} {about}")?;
        }
        Ok(())
    }
}
