//! The programming languages that baton knows.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::request::{Shape, word_of};

/// A programming language that baton can test, validate and review.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    JavaScript,
    TypeScript,
    Python,
    Go,
    Ruby,
    Rust,
    Java,
}

/// Every word accepted on input: each language's own name, then its alias.
const WORDS: [(&str, Language); 13] = [
    ("javascript", Language::JavaScript),
    ("js", Language::JavaScript),
    ("typescript", Language::TypeScript),
    ("ts", Language::TypeScript),
    ("python", Language::Python),
    ("py", Language::Python),
    ("go", Language::Go),
    ("golang", Language::Go),
    ("ruby", Language::Ruby),
    ("rb", Language::Ruby),
    ("rust", Language::Rust),
    ("rs", Language::Rust),
    ("java", Language::Java),
];

impl Language {
    pub const ALL: [Self; 7] = [
        Self::JavaScript,
        Self::TypeScript,
        Self::Python,
        Self::Go,
        Self::Ruby,
        Self::Rust,
        Self::Java,
    ];

    /// The canonical name, which is the only one baton ever writes.
    pub fn name(self) -> &'static str {
        match self {
            Self::JavaScript => "javascript",
            Self::TypeScript => "typescript",
            Self::Python => "python",
            Self::Go => "go",
            Self::Ruby => "ruby",
            Self::Rust => "rust",
            Self::Java => "java",
        }
    }

    /// Every word accepted on input, aliases included.
    pub fn words() -> impl Iterator<Item = &'static str> {
        WORDS.iter().map(|(word, _)| *word)
    }

    pub(crate) fn shape() -> Shape<Self> {
        word_of(&WORDS)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text is none of [`Language::words`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown language '{0}'; known are javascript, typescript, python, go, ruby, rust and java"
)]
pub struct UnknownLanguage(pub String);

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        WORDS
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, language)| *language)
            .ok_or_else(|| UnknownLanguage(text.to_owned()))
    }
}

/// On output, a language that was never found is the word `unknown`.
pub(crate) mod language_or_unknown {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::Language;

    const UNKNOWN: &str = "unknown";

    #[expect(
        clippy::ref_option,
        clippy::trivially_copy_pass_by_ref,
        reason = "the signature that serde calls"
    )]
    pub(crate) fn serialize<S: Serializer>(
        language: &Option<Language>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(language.map_or(UNKNOWN, Language::name))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Language>, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == UNKNOWN {
            return Ok(None);
        }
        text.parse().map(Some).map_err(D::Error::custom)
    }
}
