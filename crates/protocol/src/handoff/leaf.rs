//! Values that stand in a document as one piece of text.

use std::borrow::Cow;
use std::fmt;
use std::num::{NonZeroU16, NonZeroU64};

use super::xml::trim_space;

/// A value that is written as text and read back from it unchanged.
pub(super) trait Leaf: Sized {
    fn parse(text: &str) -> Option<Self>;
    fn text(&self) -> Cow<'_, str>;
    fn form() -> Form;

    /// A guess at what was meant by text that does not parse.
    fn hint(_text: &str) -> Option<String> {
        None
    }

    /// Whether the value is an alternation such as `bug|chore`.
    fn is_template(&self) -> bool {
        false
    }
}

/// What a leaf looks like, for messages and schemas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    /// Free text, kept to the letter.
    Text,
    /// Anything on one line, white space around it removed.
    Line,
    Whole {
        least: u64,
        most: u64,
    },
    Flag,
    /// A word of a vocabulary or an alternation of its words.
    Words(&'static [&'static str]),
    Pattern {
        /// In the common part of XSD's and ECMAScript's languages, unanchored.
        pattern: &'static str,
        expected: &'static str,
    },
}

impl Form {
    /// What to write, as the end of a sentence.
    pub(super) fn expected(self) -> String {
        match self {
            Self::Text => "text".to_owned(),
            Self::Line => "text on one line".to_owned(),
            Self::Whole { least, most } if most == u64::MAX => {
                format!("a whole number of at least {least}, digits only")
            }
            Self::Whole { least, most } => {
                format!("a whole number from {least} to {most}, digits only")
            }
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Words(words) => expected_word(words),
            Self::Pattern { expected, .. } => expected.to_owned(),
        }
    }

    /// White space around a value is layout, except in free text.
    pub(super) fn trim(self, text: &str) -> &str {
        match self {
            Self::Text => text,
            _ => trim_space(text),
        }
    }
}

/// A type of leaf as data.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeafType {
    pub(super) form: Form,
    accepts: fn(&str) -> bool,
}

impl LeafType {
    pub(super) fn new<T: Leaf>() -> Self {
        Self {
            form: T::form(),
            accepts: |text| T::parse(T::form().trim(text)).is_some(),
        }
    }

    /// Whether the text of an element is a value of this type.
    pub(super) fn accepts(self, text: &str) -> bool {
        (self.accepts)(text)
    }

    /// Whether any text will do, or any on one line.
    pub(super) fn is_free(self) -> bool {
        matches!(self.form, Form::Text | Form::Line)
    }
}

/// Types of one form accept the same text.
impl PartialEq for LeafType {
    fn eq(&self, other: &Self) -> bool {
        self.form == other.form
    }
}

/// What to write where one of the words is expected.
pub(super) fn expected_word(words: &[&str]) -> String {
    match words {
        [word] => format!("`{word}`"),
        words => format!("one of {}", Listed(words)),
    }
}

/// Words in backticks with commas between them.
struct Listed<'a>(&'a [&'a str]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}`{word}`")?;
        }
        Ok(())
    }
}

impl Leaf for String {
    fn parse(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }

    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }

    fn form() -> Form {
        Form::Text
    }
}

impl Leaf for bool {
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(if *self { "true" } else { "false" })
    }

    fn form() -> Form {
        Form::Flag
    }
}

/// Only the digits that the number itself would be written with: a sign or
/// leading zeros would not survive a round trip.
fn canonical_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'))
}

macro_rules! whole_numbers {
    ($($type:ty, $least:literal, $most:expr;)*) => { $(
        impl Leaf for $type {
            fn parse(text: &str) -> Option<Self> {
                canonical_digits(text).then(|| text.parse().ok()).flatten()
            }

            fn text(&self) -> Cow<'_, str> {
                Cow::Owned(self.to_string())
            }

            fn form() -> Form {
                Form::Whole { least: $least, most: $most }
            }
        }
    )* };
}

whole_numbers! {
    u64, 0, u64::MAX;
    NonZeroU64, 1, u64::MAX;
    NonZeroU16, 1, u64::from(u16::MAX);
}
