//! The words that handoffs use, one closed vocabulary per meaning.

use std::borrow::Cow;
use std::fmt;

use super::leaf::{Form, Leaf};

/// A closed set of words.
pub trait Vocabulary: Copy + PartialEq + fmt::Debug + 'static {
    /// Every word, in the order of the specification.
    const WORDS: &'static [&'static str];

    fn word(self) -> &'static str;
    fn from_word(word: &str) -> Option<Self>;
}

/// A word of a vocabulary, or a template that leaves the choice open.
///
/// The specification's examples give alternations such as `bug|chore` where
/// one word will stand. They are accepted as a description of a handoff; only
/// one that has a word in every place can be acted on.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice<T> {
    Word(T),
    Template(Vec<T>),
}

impl<T: Copy> Choice<T> {
    /// The word, unless the choice is still open.
    pub fn word(&self) -> Option<T> {
        match self {
            Self::Word(word) => Some(*word),
            Self::Template(_) => None,
        }
    }
}

impl<T> From<T> for Choice<T> {
    fn from(word: T) -> Self {
        Self::Word(word)
    }
}

impl<T: Vocabulary> Leaf for Choice<T> {
    fn parse(text: &str) -> Option<Self> {
        if let Some(word) = T::from_word(text) {
            return Some(Self::Word(word));
        }
        let words: Vec<T> = text
            .split('|')
            .map(|word| T::from_word(super::xml::trim_space(word)))
            .collect::<Option<_>>()?;
        (words.len() > 1).then_some(Self::Template(words))
    }

    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Word(word) => Cow::Borrowed(word.word()),
            Self::Template(words) => {
                let words: Vec<&str> = words.iter().map(|word| word.word()).collect();
                Cow::Owned(words.join("|"))
            }
        }
    }

    fn form() -> Form {
        Form::Words(T::WORDS)
    }

    fn hint(text: &str) -> Option<String> {
        text.split('|')
            .map(super::xml::trim_space)
            .find(|word| T::from_word(word).is_none())
            .and_then(|word| nearest(word, T::WORDS))
    }

    fn is_template(&self) -> bool {
        matches!(self, Self::Template(_))
    }
}

/// The word that was probably meant, if one is close.
pub(super) fn nearest(text: &str, words: &[&str]) -> Option<String> {
    // Comparing costs the product of both lengths, and a long text is no typo.
    const MAX_LEN: usize = 40;
    const CLOSE: f64 = 0.75;
    if text.len() > MAX_LEN {
        return None;
    }
    // `fixer` is far from `fixer-agent` by edits, but it is clearly meant.
    let begins = |word: &str| text.len() >= 3 && word.starts_with(text);
    let likeness = |word: &str| {
        if begins(word) {
            1.0
        } else {
            strsim::normalized_damerau_levenshtein(text, word)
        }
    };
    words
        .iter()
        .map(|word| (likeness(word), *word))
        .filter(|(likeness, _)| *likeness >= CLOSE)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, word)| word.to_owned())
}

/// The text is not a word of the vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not accepted; expected {expected}{}", Hint(.hint.as_deref()))]
pub struct UnknownWord {
    pub word: String,
    pub expected: String,
    pub hint: Option<String>,
}

/// The end of a message about a wrong word.
pub(super) struct Hint<'a>(pub(super) Option<&'a str>);

impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(word) => write!(f, "; did you mean `{word}`?"),
            None => Ok(()),
        }
    }
}

impl UnknownWord {
    pub(super) fn new<T: Vocabulary>(word: &str) -> Self {
        Self {
            word: word.to_owned(),
            expected: Form::Words(T::WORDS).expected(),
            hint: nearest(word, T::WORDS),
        }
    }
}

/// Declares a vocabulary: `Variant = "word"`, with `=> Outcome` where the
/// words are a status.
macro_rules! vocabulary {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $( $(#[$word_about:meta])* $variant:ident = $word:literal $(=> $outcome:ident)?, )*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $( $(#[$word_about])* $variant, )*
        }

        impl $name {
            pub const ALL: &'static [Self] = &[$( Self::$variant, )*];
        }

        vocabulary!(@outcome $name; $( $($variant => $outcome,)? )*);

        impl Vocabulary for $name {
            const WORDS: &'static [&'static str] = &[$( $word, )*];

            fn word(self) -> &'static str {
                match self {
                    $( Self::$variant => $word, )*
                }
            }

            fn from_word(word: &str) -> Option<Self> {
                match word {
                    $( $word => Some(Self::$variant), )*
                    _ => None,
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }

        impl std::str::FromStr for $name {
            type Err = UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                Self::from_word(word).ok_or_else(|| UnknownWord::new::<Self>(word))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <Cow<'de, str>>::deserialize(deserializer)?;
                word.parse().map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": Self::WORDS })
            }
        }
    };
    (@outcome $name:ident;) => {};
    (@outcome $name:ident; $( $variant:ident => $outcome:ident, )+) => {
        impl $name {
            pub fn outcome(self) -> Outcome {
                match self {
                    $( Self::$variant => Outcome::$outcome, )+
                }
            }
        }
    };
}

pub(super) use vocabulary;

vocabulary! {
    /// Who hands work over.
    pub enum Agent {
        IssueManager = "issue-manager",
        Prep = "prep-agent",
        Implementer = "implementer-agent",
        Reviewer = "reviewer-agent",
        Fixer = "fixer-agent",
        Validator = "validator-agent",
        Closer = "closer-agent",
        Orchestrator = "orchestrator",
    }
}

vocabulary! {
    /// What a handoff means for the run, whatever words its edge uses.
    pub enum Outcome {
        /// The work goes on to the next agent.
        Success = "success",
        /// A review or the validation found something to change.
        ChangesRequested = "changes_requested",
        /// The agent failed; a retry or an escalation is needed.
        Failure = "failure",
        /// Something outside has to happen first.
        Blocked = "blocked",
        /// The agent is still at work.
        Pending = "pending",
        /// There was nothing to do.
        Skipped = "skipped",
    }
}

vocabulary! {
    /// The general status codes, which every edge understands unless it has a
    /// `status` of its own.
    pub enum Status {
        Success = "success" => Success,
        Failure = "failure" => Failure,
        Blocked = "blocked" => Blocked,
        Pending = "pending" => Pending,
        Skipped = "skipped" => Skipped,
    }
}

vocabulary! {
    /// prep-agent → implementer-agent.
    pub enum WorkspaceStatus {
        Ready = "ready" => Success,
        Success = "success" => Success,
        Failure = "failure" => Failure,
        Blocked = "blocked" => Blocked,
        Pending = "pending" => Pending,
        Skipped = "skipped" => Skipped,
    }
}

vocabulary! {
    /// fixer-agent → reviewer-agent.
    pub enum FixStatus {
        ReadyForReReview = "ready-for-re-review" => Success,
        Success = "success" => Success,
        Failure = "failure" => Failure,
        Blocked = "blocked" => Blocked,
        Pending = "pending" => Pending,
        Skipped = "skipped" => Skipped,
    }
}

vocabulary! {
    /// fixer-agent → validator-agent: nothing had to change.
    pub enum NothingToFixStatus {
        Skipped = "skipped" => Skipped,
        Success = "success" => Success,
    }
}

vocabulary! {
    /// Any agent → orchestrator: the two ways not to succeed.
    pub enum ErrorStatus {
        Failure = "failure" => Failure,
        Blocked = "blocked" => Blocked,
    }
}

vocabulary! {
    /// The end of the workflow.
    pub enum CompletionStatus {
        Completed = "completed" => Success,
        Success = "success" => Success,
        Failure = "failure" => Failure,
        Blocked = "blocked" => Blocked,
        Pending = "pending" => Pending,
        Skipped = "skipped" => Skipped,
    }
}

vocabulary! {
    /// `review_status` of reviewer-agent → fixer-agent.
    pub enum RejectedReview {
        ChangesRequested = "changes_requested" => ChangesRequested,
    }
}

vocabulary! {
    /// `review_status` of reviewer-agent → validator-agent.
    pub enum ApprovedReview {
        Approved = "approved" => Success,
    }
}

vocabulary! {
    /// `merge_status` of validator-agent → closer-agent.
    pub enum MergeStatus {
        Merged = "merged" => Success,
    }
}

vocabulary! {
    /// `validation_status` of validator-agent → fixer-agent.
    pub enum FailedValidation {
        Failed = "failed" => ChangesRequested,
    }
}

vocabulary! {
    pub enum IssueType {
        Feature = "feature",
        Bug = "bug",
        Enhancement = "enhancement",
        Refactor = "refactor",
        Chore = "chore",
    }
}

vocabulary! {
    pub enum Priority {
        Critical = "critical",
        High = "high",
        Medium = "medium",
        Low = "low",
    }
}

vocabulary! {
    pub enum WorkspaceType {
        Worktree = "worktree",
        InPlace = "in-place",
        Cloud = "cloud",
    }
}

vocabulary! {
    /// How grave a review finding is.
    pub enum Severity {
        Critical = "critical",
        Important = "important",
        Suggestion = "suggestion",
    }
}

vocabulary! {
    pub enum MergeStrategy {
        Squash = "squash",
        Merge = "merge",
        Rebase = "rebase",
    }
}
