//! What is wrong with a document, and where.

use std::fmt;

use serde_json::Value;

/// What stood at the place of a problem. Absent, null and a wrong value are
/// three different mistakes and get three different messages.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    Absent,
    Null,
    Value(Value),
}

impl Found {
    /// The value as an error context shows it; `None` when there was none.
    pub fn value(&self) -> Option<Value> {
        match self {
            Self::Absent => None,
            Self::Null => Some(Value::Null),
            Self::Value(value) => Some(value.clone()),
        }
    }
}

/// One thing that is wrong with a value from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Where: a JSON pointer (`/retry_backoff_ms/1`) or a path of XML elements
    /// (`/handoff/issue_number`). The root is the empty string.
    pub path: String,
    /// The top-level key or element the problem belongs to; empty for the root.
    pub field: String,
    pub found: Found,
    /// A sentence that names the field and says what was expected.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

/// Everything that is wrong with a value, never empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// `Ok(())` when there are no problems.
    pub fn check(problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() {
            Ok(())
        } else {
            Err(Self(problems))
        }
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    pub fn into_vec(self) -> Vec<Problem> {
        self.0
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
