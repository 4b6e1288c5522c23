use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

    /// Every word accepted on input, in the order of the specification: the
    /// canonical name of each language, followed by its alias.
    pub const WORDS: [&'static str; 13] = [
        "javascript",
        "js",
        "typescript",
        "ts",
        "python",
        "py",
        "go",
        "golang",
        "ruby",
        "rb",
        "rust",
        "rs",
        "java",
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
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text is none of [`Language::WORDS`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown language '{0}'")]
pub struct UnknownLanguage(pub String);

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "javascript" | "js" => Self::JavaScript,
            "typescript" | "ts" => Self::TypeScript,
            "python" | "py" => Self::Python,
            "go" | "golang" => Self::Go,
            "ruby" | "rb" => Self::Ruby,
            "rust" | "rs" => Self::Rust,
            "java" => Self::Java,
            other => return Err(UnknownLanguage(other.to_owned())),
        })
    }
}
