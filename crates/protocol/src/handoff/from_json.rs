//! Reading a shape from JSON, with every problem named by its JSON pointer.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

use super::leaf::{Form, Leaf};
use super::message;
use super::shape::{Read, Shape};
use super::vocabulary::Agent;
use super::xml::{Element, first_forbidden};
use crate::{Found, Problem};

/// A JSON value that is taken apart field by field.
pub(super) struct JsonReader<'a> {
    place: Place<'a>,
    /// The keys that no field has asked for yet.
    object: Map<String, Value>,
    /// A value that is no object.
    bare: Option<Value>,
    /// The keys that fields asked for; elements under `other` may not have
    /// these names, because in XML they would be those fields.
    asked: Vec<&'static str>,
    sender: Option<Agent>,
    problems: &'a mut Vec<Problem>,
}

/// Where a reader is: a chain up to the root, put into words only for problems.
#[derive(Clone, Copy)]
enum Place<'a> {
    Root,
    Key(&'a Place<'a>, &'a str),
    Index(&'a Place<'a>, usize),
}

impl<'a> Place<'a> {
    fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }

    fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(parent, key) => {
                let key = message::shortened(key)
                    .replace('~', "~0")
                    .replace('/', "~1");
                format!("{}/{key}", parent.pointer())
            }
            Self::Index(parent, index) => format!("{}/{index}", parent.pointer()),
        }
    }

    fn field(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(Place::Root, key) => message::shortened(key),
            Self::Key(parent, _) | Self::Index(parent, _) => parent.field(),
        }
    }

    fn problem(&self, found: Found, message: String) -> Problem {
        Problem {
            path: self.pointer(),
            field: self.field(),
            found,
            message,
        }
    }
}

/// The last step of a place, as messages call it.
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => f.write_str("the handoff"),
            Self::Key(_, key) => write!(f, "`{}`", message::shortened(key)),
            Self::Index(parent, index) => write!(f, "entry {index} of {parent}"),
        }
    }
}

impl<'a> JsonReader<'a> {
    pub(super) fn of_root(value: Value, problems: &'a mut Vec<Problem>) -> Self {
        Self::new(value, Place::Root, problems)
    }

    fn new(value: Value, place: Place<'a>, problems: &'a mut Vec<Problem>) -> Self {
        let (object, bare) = match value {
            Value::Object(object) => (object, None),
            other => (Map::new(), Some(other)),
        };
        Self {
            place,
            object,
            bare,
            asked: Vec::new(),
            sender: None,
            problems,
        }
    }

    pub(super) fn is_object(&self) -> bool {
        self.bare.is_none()
    }

    pub(super) fn sent_by(&mut self, sender: Option<Agent>) {
        self.sender = sender;
    }

    /// Names that mean something in the XML of this level beside its fields.
    pub(super) fn reserve(&mut self, names: &[&'static str]) {
        self.asked.extend(names);
    }

    /// The text under a key, taken out; `None` when there is no such key.
    pub(super) fn take_word(&mut self, name: &'static str) -> Option<String> {
        match self.object.remove(name)? {
            Value::String(word) => Some(word),
            other => Some(other.to_string()),
        }
    }

    pub(super) fn note(&mut self, name: &str, found: Found, message: String) {
        let problem = self.place.key(name).problem(found, message);
        self.problems.push(problem);
    }

    fn take(&mut self, name: &'static str) -> Option<Value> {
        self.asked.push(name);
        self.object.remove(name)
    }

    fn leaf<T: Leaf>(&mut self, name: &'static str, blank: Blank) -> Option<Option<T>> {
        let Some(value) = self.take(name) else {
            return Some(None);
        };
        let place = self.place;
        self.value(&place.key(name), value, blank).map(Some)
    }

    fn value<T: Leaf>(&mut self, place: &Place<'_>, value: Value, blank: Blank) -> Option<T> {
        let what = format_args!("{place}");
        let message = match scalar_text::<T>(&value) {
            Some(text) if blank == Blank::Refused && text.trim().is_empty() => {
                message::empty::<T>(what)
            }
            Some(text) => match (T::parse(&text), forbidden_message(place, &text)) {
                (Some(leaf), None) => return Some(leaf),
                (_, Some(message)) => message,
                (None, None) => message::wrong::<T>(what, &text),
            },
            None => wrong_type::<T>(what, &value),
        };
        self.problems.push(place.problem(found(value), message));
        None
    }

    fn nested<S: Shape>(&mut self, place: Place<'_>, value: Value) -> Option<S> {
        let before = self.problems.len();
        let mut reader = JsonReader::new(value, place, self.problems);
        let read = S::read(&mut reader);
        reader.finish();
        read.filter(|_| self.problems.len() == before)
    }

    fn missing(&mut self, name: &'static str, message: String) {
        self.note(name, Found::Absent, message);
    }

    /// Refuses the keys that are left over.
    pub(super) fn finish(mut self) {
        if let Some(value) = self.bare.take() {
            let place = self.place;
            let message = format!("{place} is {}; expected an object", kind_of(&value));
            self.problems.push(place.problem(found(value), message));
            // The fields were missing only because there was no object.
            return;
        }
        for (key, value) in std::mem::take(&mut self.object) {
            let message = format!(
                "`{}` is not a key here; correct it, or put an unknown element under `other`",
                message::shortened(&key)
            );
            let problem = self.place.key(&key).problem(found(value), message);
            self.problems.push(problem);
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Blank {
    Accepted,
    Refused,
}

impl Read for JsonReader<'_> {
    fn required<T: Leaf>(&mut self, name: &'static str) -> Option<T> {
        let value = self.leaf(name, Blank::Refused)?;
        if value.is_none() && self.is_object() {
            self.missing(name, message::missing::<T>(format_args!("`{name}`")));
        }
        value
    }

    fn optional<T: Leaf>(&mut self, name: &'static str) -> Option<Option<T>> {
        self.leaf(name, Blank::Accepted)
    }

    fn attribute<T: Leaf>(&mut self, name: &'static str) -> Option<T> {
        let value = self.optional_attribute(name)?;
        if value.is_none() && self.is_object() {
            self.missing(name, message::missing::<T>(format_args!("`{name}`")));
        }
        value
    }

    fn optional_attribute<T: Leaf>(&mut self, name: &'static str) -> Option<Option<T>> {
        self.leaf(name, Blank::Accepted)
    }

    fn content<T: Leaf>(&mut self, name: &'static str) -> Option<T> {
        if !name.is_empty() {
            return self.attribute(name);
        }
        let value = self
            .bare
            .take()
            .unwrap_or_else(|| Value::Object(std::mem::take(&mut self.object)));
        let place = self.place;
        self.value(&place, value, Blank::Accepted)
    }

    fn record<S: Shape>(&mut self, name: &'static str) -> Option<S> {
        let value = self.optional_record(name)?;
        if value.is_none() && self.is_object() {
            let description = S::description();
            let fields = description.fields.iter().filter(|field| field.required);
            let fields: Vec<String> = fields.map(|field| format!("`{}`", field.name)).collect();
            self.missing(
                name,
                format!(
                    "`{name}` is missing; expected an object with {}",
                    fields.join(", ")
                ),
            );
        }
        value
    }

    fn optional_record<S: Shape>(&mut self, name: &'static str) -> Option<Option<S>> {
        let Some(value) = self.take(name) else {
            return Some(None);
        };
        let place = self.place;
        self.nested(place.key(name), value).map(Some)
    }

    fn list<S: Shape>(&mut self, name: &'static str, item: &'static str) -> Option<Vec<S>> {
        let values = self.optional_list(name, item)?;
        if values.is_none() && self.is_object() {
            self.missing(name, format!("`{name}` is missing; expected an array"));
        }
        values
    }

    fn optional_list<S: Shape>(
        &mut self,
        name: &'static str,
        _item: &'static str,
    ) -> Option<Option<Vec<S>>> {
        let Some(value) = self.take(name) else {
            return Some(None);
        };
        let place = self.place;
        let place = place.key(name);
        let Value::Array(values) = value else {
            let message = format!("{place} is {}; expected an array", kind_of(&value));
            self.problems.push(place.problem(found(value), message));
            return None;
        };
        let mut read = Vec::with_capacity(values.len());
        let mut complete = true;
        for (index, value) in values.into_iter().enumerate() {
            match self.nested(place.index(index), value) {
                Some(value) => read.push(value),
                None => complete = false,
            }
        }
        complete.then_some(Some(read))
    }

    fn sender(&mut self, _name: &'static str) -> Option<Agent> {
        self.sender
    }

    fn rest(&mut self, name: &'static str) -> Option<Vec<Element>> {
        let Some(value) = self.object.remove(name) else {
            return Some(Vec::new());
        };
        let place = self.place;
        let place = place.key(name);
        let Value::Array(values) = value else {
            let message = format!("{place} is {}; expected an array", kind_of(&value));
            self.problems.push(place.problem(found(value), message));
            return None;
        };
        let mut elements = Vec::with_capacity(values.len());
        for (index, value) in values.into_iter().enumerate() {
            let place = place.index(index);
            let Some(element) = read_element(&place, value, self.problems) else {
                continue;
            };
            let message = if self.asked.contains(&element.name()) {
                Some(format!(
                    "`{}` is not an unknown element here; give it as a key of its own",
                    element.name()
                ))
            } else {
                element.undeclared_prefix().map(message::undeclared_prefix)
            };
            match message {
                Some(message) => self.problems.push(place.problem(Found::Absent, message)),
                None => elements.push(element),
            }
        }
        Some(elements)
    }
}

/// The text of a scalar of the right JSON type.
fn scalar_text<T: Leaf>(value: &Value) -> Option<Cow<'_, str>> {
    match (T::form(), value) {
        (Form::Whole { .. }, Value::Number(number)) => Some(Cow::Owned(number.to_string())),
        (Form::Flag, Value::Bool(flag)) => {
            Some(Cow::Borrowed(if *flag { "true" } else { "false" }))
        }
        (Form::Whole { .. } | Form::Flag, _) => None,
        (_, Value::String(text)) => Some(Cow::Borrowed(text)),
        _ => None,
    }
}

fn wrong_type<T: Leaf>(what: fmt::Arguments<'_>, value: &Value) -> String {
    let json_type = match T::form() {
        Form::Whole { .. } => "a JSON number: ",
        Form::Flag => "a JSON boolean: ",
        _ => "a JSON string: ",
    };
    let expected = T::form().expected();
    format!(
        "{what} is {}; expected {json_type}{expected}",
        kind_of(value)
    )
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn found(value: Value) -> Found {
    match value {
        Value::Null => Found::Null,
        other => Found::Value(other),
    }
}

fn forbidden_message(place: &Place<'_>, text: &str) -> Option<String> {
    first_forbidden(text).map(|(_, character)| {
        format!(
            "{place} contains the character U+{:04X}, which XML cannot carry; remove it",
            u32::from(character)
        )
    })
}

/// Reads an unknown element. The recursion is bounded by serde_json's own
/// limit on nesting.
fn read_element(place: &Place<'_>, value: Value, problems: &mut Vec<Problem>) -> Option<Element> {
    let before = problems.len();
    let mut reader = JsonReader::new(value, *place, problems);
    let name: Option<String> = reader.required("name");
    let text: Option<String> = reader.optional("text").flatten();
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
    let mut element = match Element::new(&name?) {
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
