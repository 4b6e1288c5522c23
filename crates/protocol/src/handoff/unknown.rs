//! Elements that no field asked for. They are passed on as they are, so they
//! must be able to stand in any handoff.

use std::fmt;

use super::glossary::{GLOSSARY, Meaning};
use super::leaf::{Form, LeafType, expected_word};
use super::message;
use super::shape::{Content, Description};
use super::xml::{Element, Node, is_blank};
use crate::Found;

/// What is wrong with an unknown element or with one inside it.
pub(super) struct Fault {
    /// From the unknown element to the one that is meant: empty, or names with
    /// a `/` before each.
    pub(super) path: String,
    pub(super) found: Found,
    pub(super) message: String,
}

impl Fault {
    /// The message where the place can name the whole unknown element only.
    pub(super) fn placed_message(&self, unknown: &Element) -> String {
        if self.path.is_empty() {
            self.message.clone()
        } else {
            let name = message::shortened(unknown.name());
            format!("in `{name}{}`: {}", self.path, self.message)
        }
    }
}

/// How many faults of one unknown element are named. Each has the whole path
/// to it, so a small document could otherwise have hundreds of megabytes of
/// them.
const MAX_FAULTS: usize = 20;

/// What is wrong with an unknown element, the first [`MAX_FAULTS`].
pub(super) fn faults_of_unknown(element: &Element) -> Vec<Fault> {
    let mut inspection = Inspection::default();
    if let Some(prefix) = element.undeclared_prefix() {
        inspection.note(Found::Absent, message::undeclared_prefix(prefix));
    }
    inspection.element(element, Namespace::None);
    inspection.faults
}

/// What a name without a prefix belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Namespace {
    None,
    Own,
}

#[derive(Default)]
struct Inspection<'a> {
    path: Vec<&'a str>,
    faults: Vec<Fault>,
}

impl<'a> Inspection<'a> {
    fn note(&mut self, found: Found, message: String) {
        if self.faults.len() == MAX_FAULTS {
            return;
        }
        let mut path = String::new();
        for name in &self.path {
            path.push('/');
            path.push_str(&message::shortened(name));
        }
        self.faults.push(Fault {
            path,
            found,
            message,
        });
    }

    /// Notes that an element with a name of the protocol is not what that name
    /// means.
    fn misused(&mut self, name: &str, found: Found, reason: &str) {
        self.note(
            found,
            format!(
                "{reason}; <{name}> means the same everywhere in a handoff, so use another name for anything else"
            ),
        );
    }

    /// Inspects an element; `outer` is the namespace that it stands in. The
    /// recursion is bounded like the tree.
    fn element(&mut self, element: &'a Element, outer: Namespace) {
        self.declarations(element);
        let namespace = match element.attribute("xmlns") {
            None => outer,
            Some("") => Namespace::None,
            Some(_) => Namespace::Own,
        };
        let meaning = match namespace {
            Namespace::None => GLOSSARY.get(element.name()),
            Namespace::Own => None,
        };
        match meaning {
            Some(Meaning::Root { .. }) => self.note(
                Found::Absent,
                format!(
                    "<{}> is a whole document and may not stand inside one; use another name",
                    element.name()
                ),
            ),
            Some(Meaning::Agent) => self.value(element, &[]),
            Some(Meaning::Value(types)) => self.value(element, types),
            Some(Meaning::List { item, of }) => self.list(element, item, of),
            Some(Meaning::Record) => {
                self.record(element);
                self.children(element, namespace);
            }
            Some(Meaning::Unlike) | None => self.children(element, namespace),
        }
    }

    fn children(&mut self, element: &'a Element, namespace: Namespace) {
        for child in element.elements() {
            self.path.push(child.name());
            self.element(child, namespace);
            self.path.pop();
        }
    }

    /// Text of any of the types; without types, any text.
    fn value(&mut self, element: &Element, types: &[LeafType]) {
        let name = element.name();
        self.no_attributes_but(|_| false, element, name);
        self.no_elements(element, name);
        if !element.has_elements() {
            let text = text_of(element);
            self.text(&text, types, format_args!("<{name}>"), name);
        }
    }

    fn record(&mut self, element: &Element) {
        let about_xml = |attribute: &str| attribute.starts_with("xml:");
        self.no_attributes_but(about_xml, element, element.name());
        self.no_text(element);
    }

    fn list(&mut self, list: &'a Element, item: &str, of: &Description) {
        let name = list.name();
        self.no_attributes_but(|_| false, list, name);
        self.no_text(list);
        for child in list.elements() {
            self.path.push(child.name());
            if child.name() == item {
                self.declarations(child);
                self.item(child, of, name);
            } else {
                let reason = message::not_an_item(name, item, child.name());
                self.misused(name, Found::Absent, &reason);
            }
            self.path.pop();
        }
    }

    /// An item has text and attributes.
    fn item(&mut self, item: &Element, of: &Description, list: &str) {
        let attributes = || {
            of.fields.iter().filter_map(|field| match field.content {
                Content::Attribute(value) => Some((field, value)),
                _ => None,
            })
        };
        let known = |attribute: &str| attributes().any(|(field, _)| field.name == attribute);
        self.no_attributes_but(known, item, list);
        for (field, value) in attributes() {
            let what = format_args!("the attribute `{}` of <{}>", field.name, item.name());
            match item.attribute(field.name) {
                Some(text) => self.text(text, &[value], what, list),
                None if field.required => {
                    let reason = message::absent(what, &value.form.expected());
                    self.misused(list, Found::Absent, &reason);
                }
                None => {}
            }
        }
        self.no_elements(item, list);
    }

    /// Refuses declarations that no unknown element needs: those that XML
    /// forbids, and the namespace whose attributes give orders to validators.
    fn declarations(&mut self, element: &Element) {
        const RESERVED: [&str; 3] = [
            "http://www.w3.org/XML/1998/namespace",
            "http://www.w3.org/2000/xmlns/",
            "http://www.w3.org/2001/XMLSchema-instance",
        ];
        for (attribute, namespace) in element.attributes() {
            let prefix = match attribute.strip_prefix("xmlns:") {
                Some(prefix) => prefix,
                None if attribute == "xmlns" => "",
                None => continue,
            };
            let empty = namespace.is_empty() && !prefix.is_empty();
            if empty || matches!(prefix, "xml" | "xmlns") || RESERVED.contains(&namespace) {
                self.note(
                    Found::Value(namespace.into()),
                    format!(
                        "`{}` may not be declared as \"{}\" inside a handoff; use a namespace of your own, or none",
                        message::shortened(attribute),
                        message::shortened(namespace)
                    ),
                );
            }
        }
    }
}

/// What an element must not have; `name` is the name of the protocol that it
/// bears or belongs to.
impl Inspection<'_> {
    fn no_attributes_but(&mut self, known: impl Fn(&str) -> bool, element: &Element, name: &str) {
        for (attribute, value) in element.attributes() {
            // Declarations are no attributes, but this one is another name.
            let renames = attribute == "xmlns" && !value.is_empty();
            let declares = attribute == "xmlns" || attribute.starts_with("xmlns:");
            if renames || !declares && !known(attribute) {
                let reason = message::unknown_attribute(element.name(), attribute);
                self.misused(name, Found::Value(value.into()), &reason);
            }
        }
    }

    fn no_elements(&mut self, element: &Element, name: &str) {
        for child in element.elements() {
            let reason = message::text_only(element.name(), child.name());
            self.misused(name, Found::Absent, &reason);
        }
    }

    fn no_text(&mut self, element: &Element) {
        let (name, text) = (element.name(), text_of(element));
        if !is_blank(&text) {
            let reason = message::elements_only(name, &text);
            self.misused(name, Found::Value(text.into()), &reason);
        }
    }

    fn text(&mut self, text: &str, types: &[LeafType], what: fmt::Arguments<'_>, name: &str) {
        if !types.is_empty() && !types.iter().any(|value| value.accepts(text)) {
            let reason = message::unfit(what, text, &expected(types));
            self.misused(name, Found::Value(text.into()), &reason);
        }
    }
}

fn text_of(element: &Element) -> String {
    let nodes = element.nodes().iter();
    nodes
        .filter_map(|node| match node {
            Node::Text(text) => Some(text.as_str()),
            Node::Element(_) => None,
        })
        .collect()
}

/// What to write for a value of any of the types, as the end of a sentence.
/// Vocabularies overlap, so each word is named once.
fn expected(types: &[LeafType]) -> String {
    let mut words: Vec<&str> = Vec::new();
    let mut others: Vec<String> = Vec::new();
    for value in types {
        match value.form {
            Form::Words(more) => {
                for word in more {
                    if !words.contains(word) {
                        words.push(word);
                    }
                }
            }
            form => others.push(form.expected()),
        }
    }
    if !words.is_empty() {
        others.push(expected_word(&words));
    }
    others.join(" or ")
}
