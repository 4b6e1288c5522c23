//! Questions to whoever is there: a typed value with options, answered on a
//! terminal, by an MCP client, on the web page or with `baton answer`.

/// Something only a person can decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The whole text, options included, as it is shown.
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

/// Whoever can be asked. `None` means that nobody is there, or that they would
/// not say: the operation then takes its documented way without an answer.
pub trait Ask {
    /// The key of the chosen option. May block; operations call it when
    /// nothing else is under way.
    fn ask(&mut self, question: &Question) -> Option<char>;
}

/// Nobody is there.
pub struct Nobody;

impl Ask for Nobody {
    fn ask(&mut self, _: &Question) -> Option<char> {
        None
    }
}
