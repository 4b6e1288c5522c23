//! Coding agents that look at a change, too. What they say is a claim, and
//! counts only if the line they quote stands where they say.

use std::future::Future;
use std::pin::Pin;

use baton_review::{Kind, Severity};

/// Somebody who reads a change and says what is wrong with it.
pub trait Reviewer: Send + Sync {
    /// For findings and notes.
    fn name(&self) -> &str;

    fn review<'a>(
        &'a self,
        change: &'a [ReviewedFile],
    ) -> Pin<Box<dyn Future<Output = Result<Vec<Claim>, String>> + Send + 'a>>;
}

/// None by default.
pub type Reviewers<'a> = Vec<&'a dyn Reviewer>;

/// A file of the change, as it is now.
#[derive(Clone, Debug)]
pub struct ReviewedFile {
    pub path: String,
    pub text: String,
    /// The lines that the change touched; `None` for all of them.
    pub touched: Option<Vec<std::ops::RangeInclusive<u32>>>,
}

/// What a reviewer says about a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub kind: Kind,
    pub severity: Severity,
    pub path: String,
    /// Counted from 1.
    pub line: u32,
    /// The line, as it is said to stand there.
    pub quote: String,
    pub what: String,
    pub why: String,
    pub remedy: String,
}

impl Claim {
    /// Why it is not believed, if it is not.
    pub(super) fn objection(&self, files: &[ReviewedFile]) -> Option<String> {
        let Some(file) = files.iter().find(|file| file.path == self.path) else {
            return Some(format!("{} is no file of the change", self.path));
        };
        let line = usize::try_from(self.line)
            .ok()
            .and_then(|line| file.text.lines().nth(line.checked_sub(1)?));
        match line {
            None => Some(format!("{} has no line {}", self.path, self.line)),
            Some(line) if line.trim() == self.quote.trim() && !line.trim().is_empty() => None,
            Some(_) => Some(format!(
                "the line it quotes does not stand at {}:{}",
                self.path, self.line
            )),
        }
    }
}
