//! An XML element with its children.

use super::characters::{is_blank, is_name};
use crate::foreign_text::shortened;

/// An element with its attributes and content.
///
/// Two elements are equal when names, content and attributes are; the order
/// of attributes has no meaning in XML and does not count.
#[derive(Clone, Debug)]
pub struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    nodes: Vec<Node>,
}

/// One piece of an element's content.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    Text(String),
    Element(Element),
}

/// The text cannot be the name of an element or attribute.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not an XML name; use letters, digits, `_`, `-` and `.`, beginning with a letter or `_`"
)]
pub struct NotAName(pub String);

impl Element {
    pub fn new(name: &str) -> Result<Self, NotAName> {
        if is_name(name) {
            Ok(Self::named(name))
        } else {
            Err(NotAName(shortened(name)))
        }
    }

    /// For names that are known to be XML names.
    pub(crate) fn named(name: &str) -> Self {
        debug_assert!(is_name(name), "{name:?} is not an XML name");
        Self {
            name: name.to_owned(),
            attributes: Vec::new(),
            nodes: Vec::new(),
        }
    }

    /// Sets an attribute; a second value for the same name replaces the first.
    pub fn set_attribute(&mut self, name: &str, value: &str) -> Result<(), NotAName> {
        if !is_name(name) {
            return Err(NotAName(shortened(name)));
        }
        match self.attributes.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.push_attribute(name, value.to_owned()),
        }
        Ok(())
    }

    /// For names that are known to be XML names and new to the element.
    pub(crate) fn push_attribute(&mut self, name: &str, value: String) {
        self.attributes.push((name.to_owned(), value));
    }

    /// Appends text; adjacent pieces of text become one.
    pub fn push_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if let Some(Node::Text(last)) = self.nodes.last_mut() {
            last.push_str(text);
        } else {
            self.nodes.push(Node::Text(text.to_owned()));
        }
    }

    pub fn push_element(&mut self, child: Self) {
        self.nodes.push(Node::Element(child));
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn attributes(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.attributes
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes()
            .find_map(|(known, value)| (known == name).then_some(value))
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub fn elements(&self) -> impl Iterator<Item = &Self> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    pub fn has_elements(&self) -> bool {
        self.elements().next().is_some()
    }

    /// Attributes and content, to be taken over piece by piece.
    pub(crate) fn into_parts(self) -> (Vec<(String, String)>, Vec<Node>) {
        (self.attributes, self.nodes)
    }

    /// Drops the white space between child elements, which is layout. Where
    /// any real text stands among them, white space is part of that text.
    pub(crate) fn drop_layout(&mut self) {
        let layout = |node: &Node| matches!(node, Node::Text(text) if is_blank(text));
        let only_layout = self
            .nodes
            .iter()
            .all(|node| matches!(node, Node::Element(_)) || layout(node));
        if only_layout && self.has_elements() {
            self.nodes.retain(|node| matches!(node, Node::Element(_)));
        }
    }
}

impl Element {
    /// A namespace prefix that is used here without being declared here. What
    /// an outer element declares does not count: an unknown element is passed
    /// on, and the document it arrived in is not.
    pub(crate) fn undeclared_prefix(&self) -> Option<&str> {
        self.undeclared_prefix_after(&mut Vec::new())
    }

    fn undeclared_prefix_after<'a>(&'a self, declared: &mut Vec<&'a str>) -> Option<&'a str> {
        let outer = declared.len();
        let names = self.attributes().map(|(name, _)| name);
        declared.extend(names.filter_map(|name| name.strip_prefix("xmlns:")));
        let attributes = self.attributes().map(|(name, _)| name);
        let missing = std::iter::once(self.name())
            .chain(attributes)
            .filter_map(|name| name.split_once(':'))
            .map(|(prefix, _)| prefix)
            .find(|prefix| !matches!(*prefix, "xml" | "xmlns") && !declared.contains(prefix))
            .or_else(|| {
                self.elements()
                    .find_map(|child| child.undeclared_prefix_after(declared))
            });
        declared.truncate(outer);
        missing
    }
}

impl PartialEq for Element {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.attributes.len() == other.attributes.len()
            && self
                .attributes()
                .all(|(name, value)| other.attribute(name) == Some(value))
            && self.nodes == other.nodes
    }
}
