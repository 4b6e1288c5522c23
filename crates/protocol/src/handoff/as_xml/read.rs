//! Reading a shape from an element.

use std::fmt;

use serde_json::Value;

use super::place::{Place, Wrapper};
use crate::handoff::leaf::Leaf;
use crate::handoff::message;
use crate::handoff::reading::Document;
use crate::handoff::shape::{Noted, Read, Shape};
use crate::handoff::unknown::faults_of_unknown;
use crate::handoff::vocabulary::Agent;
use crate::handoff::xml::{Element, Node, is_blank, trim_space};
use crate::{Found, Problem};

/// An element that is taken apart field by field.
pub(in crate::handoff) struct ElementReader<'a> {
    place: Place<'a>,
    attributes: Vec<(String, String)>,
    /// The children that no field has asked for yet, with the wrapper that
    /// each was found in.
    children: Vec<(Wrapper, Element)>,
    text: String,
    sender: Option<Agent>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> ElementReader<'a> {
    /// A reader of a whole document, with the children of `<data>` lifted to
    /// the level of the root.
    pub(in crate::handoff) fn for_root(
        root: Element,
        name: &'a str,
        problems: &'a mut Vec<Problem>,
    ) -> Self {
        let mut reader = Self::new(root, Place::Root(name), problems);
        reader.refuse_namespace();
        reader
            .attributes
            .retain(|(name, _)| !is_about_xml_itself(name));
        reader.refuse_attributes();
        reader.lift_data();
        reader
    }

    fn new(element: Element, place: Place<'a>, problems: &'a mut Vec<Problem>) -> Self {
        let (attributes, nodes) = element.into_parts();
        let mut children = Vec::with_capacity(nodes.len());
        let mut text = String::new();
        for node in nodes {
            match node {
                Node::Element(child) => children.push((Wrapper::None, child)),
                Node::Text(piece) if text.is_empty() => text = piece,
                Node::Text(piece) => text.push_str(&piece),
            }
        }
        Self {
            place,
            attributes,
            children,
            text,
            sender: None,
            problems,
        }
    }

    fn lift_data(&mut self) {
        let Some((_, data)) = self.take("data") else {
            return;
        };
        let root = self.place;
        let place = root.child(Wrapper::None, "data");
        let mut inner = ElementReader::new(data, place, self.problems);
        inner.refuse_attributes();
        inner.refuse_text();
        let lifted = std::mem::take(&mut inner.children);
        if lifted.iter().any(|(_, child)| child.name() == "data") {
            inner.problems.push(
                place.problem(
                    Found::Absent,
                    "<data> stands inside <data>; one wrapper is enough, remove the inner one"
                        .to_owned(),
                ),
            );
        }
        self.children
            .extend(lifted.into_iter().map(|(_, child)| (Wrapper::Data, child)));
    }

    /// Takes the child of that name; further ones are a problem.
    fn take(&mut self, name: &'static str) -> Option<(Wrapper, Element)> {
        let first = self
            .children
            .iter()
            .position(|(_, child)| child.name() == name)?;
        let taken = self.children.remove(first);
        let before = self.children.len();
        self.children.retain(|(_, child)| child.name() != name);
        if self.children.len() < before {
            let problem = self.place.child(taken.0, name).problem(
                Found::Absent,
                format!("<{name}> appears more than once; keep one"),
            );
            self.problems.push(problem);
        }
        Some(taken)
    }

    /// The text of an element that may hold nothing else.
    fn text_of(&mut self, place: &Place<'_>, element: Element) -> Result<String, Noted> {
        let before = self.problems.len();
        let mut reader = ElementReader::new(element, *place, self.problems);
        reader.refuse_attributes();
        reader.refuse_children();
        let text = reader.text;
        self.none_noted_since(before).map(|()| text)
    }

    /// A namespace would give every element of the document another name.
    fn refuse_namespace(&mut self) {
        let mut attributes = self.attributes.iter();
        let Some((_, namespace)) =
            attributes.find(|(name, value)| name == "xmlns" && !value.is_empty())
        else {
            return;
        };
        let problem = self.place.problem(
            Found::Value(Value::String(namespace.clone())),
            format!(
                "<{}> has the namespace `{}`, but the elements of the protocol have none; remove `xmlns`",
                self.place.name(),
                message::shortened(namespace)
            ),
        );
        self.problems.push(problem);
    }

    fn refuse_attributes(&mut self) {
        for (name, value) in std::mem::take(&mut self.attributes) {
            let element = self.place.name();
            let problem = self.place.problem(
                Found::Value(Value::String(value)),
                message::unknown_attribute(element, &name),
            );
            self.problems.push(problem);
        }
    }

    fn refuse_children(&mut self) {
        for (wrapper, child) in std::mem::take(&mut self.children) {
            let element = self.place.name();
            let problem = self
                .place
                .child(wrapper, child.name())
                .problem(Found::Absent, message::text_only(element, child.name()));
            self.problems.push(problem);
        }
    }

    fn refuse_text(&mut self) {
        if !is_blank(&self.text) {
            let element = self.place.name();
            let problem = self.place.problem(
                Found::Value(Value::String(self.text.clone())),
                message::elements_only(element, &self.text),
            );
            self.problems.push(problem);
        }
    }

    fn child_value<T: Leaf>(
        &mut self,
        name: &'static str,
        blank: Blank,
    ) -> Result<Option<T>, Noted> {
        let Some((wrapper, element)) = self.take(name) else {
            return Ok(None);
        };
        let place = self.place;
        let place = place.child(wrapper, name);
        let text = self.text_of(&place, element)?;
        self.value(
            &place,
            format_args!("<{name}>"),
            T::form().trim(&text),
            blank,
        )
        .map(Some)
    }

    fn value<T: Leaf>(
        &mut self,
        place: &Place<'_>,
        what: fmt::Arguments<'_>,
        text: &str,
        blank: Blank,
    ) -> Result<T, Noted> {
        let value = T::parse(text);
        let is_blank = text.trim().is_empty();
        let message = if is_blank && (blank == Blank::Refused || value.is_none()) {
            message::empty::<T>(what)
        } else if let Some(value) = value {
            return Ok(value);
        } else {
            message::wrong::<T>(what, text)
        };
        let found = Found::Value(Value::String(text.to_owned()));
        self.problems.push(place.problem(found, message));
        Err(Noted)
    }

    fn nested<S: Shape>(&mut self, place: Place<'_>, element: Element) -> Result<S, Noted> {
        let before = self.problems.len();
        let mut reader = ElementReader::new(element, place, self.problems);
        let value = S::read(&mut reader);
        reader.finish();
        self.none_noted_since(before).and(value)
    }

    fn none_noted_since(&self, before: usize) -> Result<(), Noted> {
        if self.problems.len() == before {
            Ok(())
        } else {
            Err(Noted)
        }
    }

    /// Refuses what is left over.
    pub(in crate::handoff) fn finish(mut self) {
        self.refuse_attributes();
        self.refuse_children();
        self.refuse_text();
    }

    fn items<S: Shape>(
        &mut self,
        place: Place<'_>,
        item: &'static str,
        list: Element,
    ) -> Result<Vec<S>, Noted> {
        let before = self.problems.len();
        let mut reader = ElementReader::new(list, place, self.problems);
        reader.refuse_attributes();
        reader.refuse_text();
        let mut values = Vec::with_capacity(reader.children.len());
        for (index, (_, child)) in std::mem::take(&mut reader.children).into_iter().enumerate() {
            if child.name() == item {
                values.extend(reader.nested::<S>(place.item(item, index + 1), child));
                continue;
            }
            let problem = place.child(Wrapper::None, child.name()).problem(
                Found::Absent,
                message::not_an_item(place.name(), item, child.name()),
            );
            reader.problems.push(problem);
        }
        self.none_noted_since(before).map(|()| values)
    }

    fn missing_element(&mut self, name: &'static str, content: &str) {
        self.note(
            name,
            Found::Absent,
            format!("<{name}> is missing; expected {content}"),
        );
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Blank {
    Accepted,
    Refused,
}

impl Document for ElementReader<'_> {
    fn take_word(&mut self, name: &'static str) -> Option<String> {
        let (wrapper, element) = self.take(name)?;
        let place = self.place;
        let text = self.text_of(&place.child(wrapper, name), element);
        Some(trim_space(&text.unwrap_or_default()).to_owned())
    }

    fn note(&mut self, name: &str, found: Found, message: String) {
        let problem = self
            .place
            .child(Wrapper::None, name)
            .problem(found, message);
        self.problems.push(problem);
    }

    fn sent_by(&mut self, sender: Option<Agent>) {
        self.sender = sender;
    }
}

impl Read for ElementReader<'_> {
    fn required<T: Leaf>(&mut self, name: &'static str) -> Result<T, Noted> {
        let value = self.child_value(name, Blank::Refused)?;
        if value.is_none() {
            self.note(
                name,
                Found::Absent,
                message::missing::<T>(format_args!("<{name}>")),
            );
        }
        value.ok_or(Noted)
    }

    fn optional<T: Leaf>(&mut self, name: &'static str) -> Result<Option<T>, Noted> {
        self.child_value(name, Blank::Accepted)
    }

    fn attribute<T: Leaf>(&mut self, name: &'static str) -> Result<T, Noted> {
        let value = self.optional_attribute(name)?;
        if value.is_none() {
            let element = self.place.name();
            let message =
                message::missing::<T>(format_args!("the attribute `{name}` of <{element}>"));
            let problem = self.place.attribute(name).problem(Found::Absent, message);
            self.problems.push(problem);
        }
        value.ok_or(Noted)
    }

    fn optional_attribute<T: Leaf>(&mut self, name: &'static str) -> Result<Option<T>, Noted> {
        let Some(index) = self.attributes.iter().position(|(known, _)| known == name) else {
            return Ok(None);
        };
        let (_, text) = self.attributes.remove(index);
        let place = self.place;
        let what = format_args!("the attribute `{name}` of <{}>", place.name());
        self.value(&place.attribute(name), what, &text, Blank::Accepted)
            .map(Some)
    }

    fn content<T: Leaf>(&mut self, _name: &'static str) -> Result<T, Noted> {
        let text = std::mem::take(&mut self.text);
        let place = self.place;
        let what = format_args!("<{}>", place.name());
        self.value(&place, what, T::form().trim(&text), Blank::Accepted)
    }

    fn record<S: Shape>(&mut self, name: &'static str) -> Result<S, Noted> {
        let value = self.optional_record(name)?;
        if value.is_none() {
            let description = S::description();
            let fields = description.fields.iter().filter(|field| field.required);
            let fields: Vec<String> = fields.map(|field| format!("<{}>", field.name)).collect();
            self.missing_element(name, &format!("an element with {}", fields.join(", ")));
        }
        value.ok_or(Noted)
    }

    fn optional_record<S: Shape>(&mut self, name: &'static str) -> Result<Option<S>, Noted> {
        let Some((wrapper, element)) = self.take(name) else {
            return Ok(None);
        };
        let place = self.place;
        self.nested(place.child(wrapper, name), element).map(Some)
    }

    fn list<S: Shape>(&mut self, name: &'static str, item: &'static str) -> Result<Vec<S>, Noted> {
        let values = self.optional_list(name, item)?;
        if values.is_none() {
            self.missing_element(name, &format!("a list of <{item}>"));
        }
        values.ok_or(Noted)
    }

    fn optional_list<S: Shape>(
        &mut self,
        name: &'static str,
        item: &'static str,
    ) -> Result<Option<Vec<S>>, Noted> {
        let Some((wrapper, list)) = self.take(name) else {
            return Ok(None);
        };
        let place = self.place;
        self.items(place.child(wrapper, name), item, list).map(Some)
    }

    fn sender(&mut self, _name: &'static str) -> Result<Agent, Noted> {
        self.sender.ok_or(Noted)
    }

    fn rest(&mut self, _name: &'static str) -> Result<Vec<Element>, Noted> {
        let mut kept = Vec::new();
        for (wrapper, child) in std::mem::take(&mut self.children) {
            let before = self.problems.len();
            let place = self.place.child(wrapper, child.name());
            for fault in faults_of_unknown(&child) {
                let mut problem = place.problem(fault.found, fault.message);
                problem.path.push_str(&fault.path);
                self.problems.push(problem);
            }
            if self.problems.len() == before {
                kept.push(child);
            }
        }
        Ok(kept)
    }
}

/// Attributes that tell XML tools something about the document and say nothing
/// about the work.
fn is_about_xml_itself(attribute: &str) -> bool {
    let whole = [
        "xmlns",
        "xsi:schemaLocation",
        "xsi:noNamespaceSchemaLocation",
    ];
    let prefixes = ["xmlns:", "xml:"];
    whole.contains(&attribute) || prefixes.iter().any(|prefix| attribute.starts_with(prefix))
}
