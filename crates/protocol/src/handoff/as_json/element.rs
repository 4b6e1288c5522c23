//! Elements that the protocol does not know, spelt out in JSON.

use serde_json::{Map, Value};

use super::place::{Place, forbidden_message, found, kind_of};
use super::read::JsonReader;
use crate::handoff::reading::Document;
use crate::handoff::shape::{Noted, Read};
use crate::handoff::xml::{Element, Node};
use crate::{Found, Problem};

/// An unknown element: `text` when that is all it holds, else `children`, in
/// which text between elements is a string.
pub(super) fn element_to_json(element: &Element) -> Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), element.name().into());
    if element.attributes().len() > 0 {
        let attributes: Map<String, Value> = element
            .attributes()
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect();
        object.insert("attributes".to_owned(), attributes.into());
    }
    match element.nodes() {
        [] => {}
        [Node::Text(text)] => {
            object.insert("text".to_owned(), text.as_str().into());
        }
        nodes => {
            let children: Vec<Value> = nodes.iter().map(node_to_json).collect();
            object.insert("children".to_owned(), children.into());
        }
    }
    Value::Object(object)
}

fn node_to_json(node: &Node) -> Value {
    match node {
        Node::Text(text) => Value::from(text.as_str()),
        Node::Element(element) => element_to_json(element),
    }
}

/// Reads an unknown element. The recursion is bounded by `serde_json`'s own
/// limit on nesting.
pub(super) fn read_element(
    place: &Place<'_>,
    value: Value,
    problems: &mut Vec<Problem>,
) -> Option<Element> {
    let before = problems.len();
    let mut reader = JsonReader::new(value, *place, problems);
    let name: Result<String, Noted> = reader.required("name");
    let text: Option<String> = reader.optional("text").unwrap_or_default();
    let attributes = reader.take("attributes");
    let children = reader.take("children");
    if text.is_some() && children.is_some() {
        reader.note(
            "text",
            Found::Absent,
            "`text` and `children` exclude each other; put the text into `children`".to_owned(),
        );
    }
    reader.finish();
    let mut element = match Element::new(&name.ok()?) {
        Ok(element) => element,
        Err(error) => {
            problems.push(place.key("name").problem(Found::Absent, error.to_string()));
            return None;
        }
    };
    element.push_text(text.as_deref().unwrap_or_default());
    read_attributes(&place.key("attributes"), attributes, &mut element, problems);
    read_children(&place.key("children"), children, &mut element, problems);
    element.drop_layout();
    (problems.len() == before).then_some(element)
}

fn read_attributes(
    place: &Place<'_>,
    attributes: Option<Value>,
    element: &mut Element,
    problems: &mut Vec<Problem>,
) {
    let attributes = match attributes {
        None => return,
        Some(Value::Object(attributes)) => attributes,
        Some(other) => {
            let message = format!("{place} is {}; expected an object", kind_of(&other));
            problems.push(place.problem(found(other), message));
            return;
        }
    };
    for (name, value) in attributes {
        let place = place.key(&name);
        let message = match &value {
            Value::String(text) => match forbidden_message(&place, text) {
                None => element
                    .set_attribute(&name, text)
                    .err()
                    .map(|error| error.to_string()),
                message => message,
            },
            other => Some(format!("{place} is {}; expected a string", kind_of(other))),
        };
        if let Some(message) = message {
            problems.push(place.problem(found(value), message));
        }
    }
}

fn read_children(
    place: &Place<'_>,
    children: Option<Value>,
    element: &mut Element,
    problems: &mut Vec<Problem>,
) {
    let children = match children {
        None => return,
        Some(Value::Array(children)) => children,
        Some(other) => {
            let message = format!("{place} is {}; expected an array", kind_of(&other));
            problems.push(place.problem(found(other), message));
            return;
        }
    };
    for (index, child) in children.into_iter().enumerate() {
        let place = place.index(index);
        match child {
            Value::String(text) => match forbidden_message(&place, &text) {
                None => element.push_text(&text),
                Some(message) => problems.push(place.problem(Found::Value(text.into()), message)),
            },
            other => {
                if let Some(child) = read_element(&place, other, problems) {
                    element.push_element(child);
                }
            }
        }
    }
}
