//! A file that can be reviewed: of limited size, text, parsed.

use std::ops::{ControlFlow, Range};

use memchr::{memchr, memchr_iter};
use tree_sitter::{ParseOptions, Parser, Tree};

use crate::Place;
use crate::broken;
use crate::budget::Budget;
use crate::language::Language;

/// Larger files are written by machines, and would take long.
const MAX_BYTES: usize = 1_000_000;

/// Minified code has lines of this many bytes on average, and is not reviewed.
const LONG_LINE: usize = 500;

/// Below this size a long line means little.
const SMALL_FILE: usize = 4_000;

/// tree-sitter reports its progress after this many steps.
const OPERATIONS_PER_CALL: usize = 100;

/// Why a file was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    #[error("is larger than 1 MB")]
    TooLarge,
    #[error("is binary")]
    Binary,
    #[error("is not valid UTF-8")]
    NotUtf8,
    #[error("is minified or generated")]
    Minified,
    #[error("is in a language that is not reviewed")]
    UnknownLanguage,
    #[error("could not be parsed")]
    Unparsable,
    #[error("is too involved to be followed to its end")]
    TooInvolved,
    /// The caller's deadline passed, or it was cancelled.
    #[error("was not reviewed to its end before the review was stopped")]
    Stopped,
    /// Only what is around it was read.
    #[error("has a syntax error at line {line}")]
    SyntaxError { line: u32 },
}

/// The text of a file with what is needed to name places in it.
#[expect(
    clippy::struct_field_names,
    reason = "it is the text, next to its path and lines"
)]
#[derive(Debug)]
pub(crate) struct Text<'a> {
    pub path: &'a str,
    pub text: &'a str,
    line_starts: Vec<usize>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(path: &'a str, bytes: &'a [u8]) -> Result<Self, Unread> {
        if bytes.len() > MAX_BYTES {
            return Err(Unread::TooLarge);
        }
        if memchr(0, bytes).is_some() {
            return Err(Unread::Binary);
        }
        let text = str::from_utf8(bytes).map_err(|_| Unread::NotUtf8)?;
        let mut line_starts = vec![0];
        line_starts.extend(memchr_iter(b'\n', bytes).map(|at| at + 1));
        if bytes.len() > SMALL_FILE && bytes.len() / line_starts.len() > LONG_LINE {
            return Err(Unread::Minified);
        }
        Ok(Self {
            path,
            text,
            line_starts,
        })
    }

    /// The line of a byte, counted from one.
    pub(crate) fn line_of(&self, byte: usize) -> u32 {
        let line = self.line_starts.partition_point(|start| *start <= byte);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    /// A line by its number, without its end.
    pub(crate) fn line(&self, number: u32) -> &'a str {
        let index = (number as usize).saturating_sub(1);
        let Some(start) = self.line_starts.get(index) else {
            return "";
        };
        let end = self
            .line_starts
            .get(index + 1)
            .map_or(self.text.len(), |next| next - 1);
        self.text[*start..end.max(*start)].trim_end_matches('\r')
    }

    /// A range of bytes as people name it.
    pub(crate) fn place(&self, range: Range<usize>) -> Place {
        let (start_line, start_column) = self.position(range.start);
        let (end_line, end_column) = self.position(range.end);
        Place {
            path: self.path.to_owned(),
            start_line,
            start_column,
            end_line,
            end_column,
        }
    }

    fn position(&self, byte: usize) -> (u32, u32) {
        let byte = self.text.floor_char_boundary(byte);
        let line = self.line_of(byte);
        let start = self.line_starts[line as usize - 1];
        let column = self.text[start..byte].chars().count() + 1;
        (line, u32::try_from(column).unwrap_or(u32::MAX))
    }
}

/// A text with its syntax tree.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    pub text: Text<'a>,
    pub language: Language,
    pub tree: Tree,
    /// The line of the first syntax error.
    pub broken_at: Option<u32>,
    pub budget: &'a Budget,
}

impl<'a> Source<'a> {
    pub(crate) fn parse(
        text: Text<'a>,
        language: Language,
        budget: &'a Budget,
    ) -> Result<Self, Unread> {
        let mut parser = language.parser();
        let tree = parse(&mut parser, text.text.as_bytes(), budget)
            .ok_or(budget.ended().unwrap_or(Unread::Unparsable))?;
        let broken_at = broken::first_error(&tree, budget);
        let tree = match broken_at {
            Some(_) => broken::with_more_intact(&mut parser, text.text, tree, budget),
            None => tree,
        };
        Ok(Self {
            text,
            language,
            tree,
            broken_at,
            budget,
        })
    }
}

/// `None` when the budget ends first.
pub(crate) fn parse(parser: &mut Parser, text: &[u8], budget: &Budget) -> Option<Tree> {
    let mut progress = |_: &_| {
        if budget.spend(OPERATIONS_PER_CALL) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let tree = parser.parse_with_options(
        &mut |at, _| text.get(at..).unwrap_or_default(),
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    );
    if tree.is_none() {
        // Otherwise the next parse would go on with this one.
        parser.reset();
    }
    tree
}
