//! Questions that only a person can answer: a typed value with options,
//! answered on a terminal, by an MCP client, on the web page or with `baton answer`.

use std::pin::Pin;

/// Something only a person can decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The whole text, options included, as it is displayed.
    pub text: String,
    pub options: Vec<Choice>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What a person types.
    pub key: char,
    /// What it means, in a few words.
    pub label: String,
}

/// Puts questions to a person.
pub trait Ask: Send + Sync {
    /// The key of the chosen option. `None` means that no one can be asked, or
    /// that there was no answer: the operation then continues as documented.
    fn ask<'a>(&'a self, question: &'a Question) -> PendingAnswer<'a>;
}

pub type PendingAnswer<'a> = Pin<Box<dyn Future<Output = Option<char>> + Send + 'a>>;

/// No one can be asked.
pub struct NonInteractive;

impl Ask for NonInteractive {
    fn ask<'a>(&'a self, _: &'a Question) -> PendingAnswer<'a> {
        Box::pin(std::future::ready(None))
    }
}
