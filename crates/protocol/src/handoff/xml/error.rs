//! Why a text is not the XML of a handoff.

use std::fmt;

use super::{MAX_ATTRIBUTES, MAX_BYTES, MAX_DEPTH, MAX_ELEMENTS};

/// A place in a document, counted from one; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl Position {
    /// The place of a byte offset. Called for errors only, so that reading
    /// does not pay for counting lines.
    pub(super) fn at(offset: usize, text: &str) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a document is not read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct XmlError {
    /// `None` where the whole document is meant.
    pub position: Option<Position>,
    pub kind: XmlErrorKind,
}

impl fmt::Display for XmlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(position) => write!(f, "{position}: {}", self.kind),
            None => write!(f, "{}", self.kind),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum XmlErrorKind {
    #[error(
        "the document is too large: {size} bytes, the limit is {MAX_BYTES}; shorten it, for example by naming a log file instead of quoting it"
    )]
    TooLarge { size: usize },
    #[error("byte {offset} is not valid UTF-8; save the document as UTF-8")]
    NotUtf8 { offset: usize },
    #[error("the declared encoding is `{0}`; write UTF-8, and declare that or nothing")]
    Encoding(String),
    #[error(
        "the XML declaration is not understood; write `<?xml version=\"1.0\"?>` or leave it out"
    )]
    Declaration,
    #[error("an XML declaration may only stand at the very beginning; remove it here")]
    LateDeclaration,
    #[error("the character U+{:04X} is not allowed in XML; remove it", u32::from(*.0))]
    ForbiddenCharacter(char),
    #[error("a DOCTYPE is not accepted; remove it, a handoff needs no document type")]
    Doctype,
    #[error(
        "the entity `&{0};` is not accepted; write the character itself, or use only &amp; &lt; &gt; &quot; &apos;"
    )]
    Entity(String),
    #[error("`&` begins no reference here; write `&amp;` for the character")]
    LooseAmpersand,
    #[error("`&{0};` refers to no character that XML allows; remove it")]
    CharacterReference(String),
    #[error("elements are nested more than {MAX_DEPTH} levels deep; flatten the content")]
    TooDeep,
    #[error("<{0}> has more than {MAX_ATTRIBUTES} attributes; use child elements")]
    TooManyAttributes(String),
    #[error("there are more than {MAX_ELEMENTS} elements; shorten the document")]
    TooManyElements,
    #[error("the attribute `{0}` appears twice; keep one")]
    DuplicateAttribute(String),
    #[error(
        "the attributes of <{0}> are malformed; write each as name=\"value\", with a space before it"
    )]
    MalformedAttribute(String),
    #[error("`<` stands in the value of the attribute `{0}`; write `&lt;`")]
    MarkupInAttribute(String),
    #[error("`{0}` is not an XML name; in text, write `&lt;` for `<`")]
    Name(String),
    #[error("`]]>` stands in text; write `]]&gt;`")]
    CdataEnd,
    #[error("this markup is not XML; in text, write `&lt;` for `<`")]
    Markup,
    #[error("a comment contains `--`; remove it")]
    Comment,
    #[error("<{0}> is a second root element; a document holds one, put the other into its own")]
    SecondRoot(String),
    #[error("there is text outside the root element; the root of a handoff is <handoff>, everything goes into it{}",
        if *.looks_like_json { " (this looks like JSON, not XML)" } else { "" })]
    TextOutsideRoot { looks_like_json: bool },
    #[error("the document has no root element; a handoff begins with <handoff>")]
    NoRoot,
    #[error("the document ends inside <{0}>: it was cut off, or `</{0}>` is missing")]
    CutOff(String),
    #[error("the document ends inside this {0}: it was cut off, or the {0} is not closed")]
    CutOffMarkup(&'static str),
    #[error("`</{found}>` closes <{expected}>; write `</{expected}>`")]
    MismatchedEnd { expected: String, found: String },
    #[error("`</{0}>` closes nothing; remove it or add <{0}> before it")]
    UnmatchedEnd(String),
}
