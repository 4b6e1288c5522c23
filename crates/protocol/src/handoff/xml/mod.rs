//! A small XML layer for untrusted text.
//!
//! [`parse`] accepts the part of XML that a handoff needs: elements,
//! attributes, text, CDATA, comments, the five predefined entities and
//! character references. Everything that lets a document grow or reach
//! outside itself is refused: document type declarations, other entities,
//! other encodings, and whatever passes the caps below.

mod characters;
mod element;
mod error;
mod parse;
mod write;

pub use element::{Element, Node, NotAName};
pub use error::{Position, XmlError, XmlErrorKind};
pub use parse::parse;
pub use write::write;

pub(super) use characters::{first_forbidden, is_blank, trim_space};

/// The largest document that is read. A handoff is a page of text; a full
/// mebibyte leaves room for long logs in it and still parses in milliseconds.
pub const MAX_BYTES: usize = 1 << 20;

/// How deep elements may be nested. The deepest handoff has four levels; the
/// rest is for unknown elements. It also bounds every recursion over a tree.
pub const MAX_DEPTH: usize = 32;

/// How many attributes one element may have.
pub const MAX_ATTRIBUTES: usize = 64;

/// How many elements a document may have, so that a mebibyte of `<a/>` cannot
/// become a hundred times as much memory.
pub const MAX_ELEMENTS: usize = 16_384;

/// The cap that a tree passes, for trees that were not parsed. The caller
/// bounds the recursion by bounding what it builds.
pub(super) fn exceeded_limit(root: &Element) -> Option<XmlErrorKind> {
    fn visit(element: &Element, depth: usize, count: &mut usize) -> Option<XmlErrorKind> {
        *count += 1;
        if depth > MAX_DEPTH {
            return Some(XmlErrorKind::TooDeep);
        }
        if *count > MAX_ELEMENTS {
            return Some(XmlErrorKind::TooManyElements);
        }
        if element.attributes().len() > MAX_ATTRIBUTES {
            return Some(XmlErrorKind::TooManyAttributes(element.name().to_owned()));
        }
        element
            .elements()
            .find_map(|child| visit(child, depth + 1, count))
    }
    visit(root, 1, &mut 0)
}
