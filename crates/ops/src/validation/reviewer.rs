//! Coding agents that look at a change, too. What they say is a claim, and
//! counts only if the line they quote stands where they say.

use std::future::Future;
use std::ops::RangeInclusive;
use std::pin::Pin;

use baton_review::Claim;

/// A reviewer who reads a change and says what is wrong with it.
pub trait Reviewer: Send + Sync {
    /// What its findings' rules begin with.
    fn name(&self) -> &str;

    /// All that it objects to, or why it could not look.
    fn review<'a>(&'a self, change: &'a [ReviewedFile]) -> Claims<'a>;
}

pub type Claims<'a> = Pin<Box<dyn Future<Output = Result<Vec<Claim>, String>> + Send + 'a>>;

/// None by default.
pub type Reviewers<'a> = Vec<&'a dyn Reviewer>;

/// A file of the change, as it is now.
#[derive(Clone, Debug)]
pub struct ReviewedFile {
    pub path: String,
    pub text: String,
    /// The lines that the change touched; `None` for all of them.
    pub touched: Option<Vec<RangeInclusive<u32>>>,
}
