//! Reading a shape from JSON, with every problem named by its JSON pointer.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

use super::element::read_element;
use super::place::{Place, forbidden_message, found, kind_of};
use crate::handoff::leaf::{Form, Leaf};
use crate::handoff::message;
use crate::handoff::reading::Document;
use crate::handoff::shape::{Noted, Read, Shape};
use crate::handoff::unknown::faults_of_unknown;
use crate::handoff::vocabulary::{Agent, Hint, nearest};
use crate::handoff::xml::Element;
use crate::{Found, Problem};

/// A JSON value that is taken apart field by field.
pub(in crate::handoff) struct JsonReader<'a> {
    place: Place<'a>,
    /// The keys that no field has asked for yet.
    object: Map<String, Value>,
    /// A value that is no object.
    bare: Option<Value>,
    /// The keys that fields asked for; elements under `other` may not have
    /// these names, because in XML they would be those fields.
    asked: Vec<&'static str>,
    /// Whether there is a place for unknown elements.
    open: bool,
    sender: Option<Agent>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> JsonReader<'a> {
    pub(in crate::handoff) fn for_root(value: Value, problems: &'a mut Vec<Problem>) -> Self {
        Self::new(value, Place::Root, problems)
    }

    pub(super) fn new(value: Value, place: Place<'a>, problems: &'a mut Vec<Problem>) -> Self {
        let (object, bare) = match value {
            Value::Object(object) => (object, None),
            other => (Map::new(), Some(other)),
        };
        Self {
            place,
            object,
            bare,
            asked: Vec::new(),
            open: false,
            sender: None,
            problems,
        }
    }

    pub(in crate::handoff) fn is_object(&self) -> bool {
        self.bare.is_none()
    }

    /// Names that mean something in the XML of this level beside its fields.
    pub(in crate::handoff) fn reserve(&mut self, names: &[&'static str]) {
        self.asked.extend(names);
    }

    pub(super) fn take(&mut self, name: &'static str) -> Option<Value> {
        self.asked.push(name);
        self.object.remove(name)
    }

    fn leaf<T: Leaf>(&mut self, name: &'static str, blank: Blank) -> Result<Option<T>, Noted> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let place = self.place;
        self.value(&place.key(name), value, blank).map(Some)
    }

    fn value<T: Leaf>(
        &mut self,
        place: &Place<'_>,
        value: Value,
        blank: Blank,
    ) -> Result<T, Noted> {
        let what = format_args!("{place}");
        let message = match scalar_text::<T>(&value) {
            Some(text) if blank == Blank::Refused && text.trim().is_empty() => {
                message::empty::<T>(what)
            }
            Some(text) => match (T::parse(&text), forbidden_message(place, &text)) {
                (Some(leaf), None) => return Ok(leaf),
                (_, Some(message)) => message,
                (None, None) => message::wrong::<T>(what, &text),
            },
            None => wrong_type::<T>(what, &value),
        };
        self.problems.push(place.problem(found(value), message));
        Err(Noted)
    }

    fn nested<S: Shape>(&mut self, place: Place<'_>, value: Value) -> Result<S, Noted> {
        let before = self.problems.len();
        let mut reader = JsonReader::new(value, place, self.problems);
        let read = S::read(&mut reader);
        reader.finish();
        if self.problems.len() == before {
            read
        } else {
            Err(Noted)
        }
    }

    fn missing(&mut self, name: &'static str, message: String) {
        self.note(name, Found::Absent, message);
    }

    /// Refuses the keys that are left over.
    pub(in crate::handoff) fn finish(mut self) {
        if let Some(value) = self.bare.take() {
            let place = self.place;
            let message = format!("{place} is {}; expected an object", kind_of(&value));
            self.problems.push(place.problem(found(value), message));
            // The fields were missing only because there was no object.
            return;
        }
        for (key, value) in std::mem::take(&mut self.object) {
            let message = format!(
                "`{}` is not a key here; remove it{}{}",
                message::shortened(&key),
                if self.open {
                    " or put it under `other`"
                } else {
                    ""
                },
                Hint(nearest(&key, &self.asked).as_deref())
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

impl Document for JsonReader<'_> {
    fn take_word(&mut self, name: &'static str) -> Option<String> {
        match self.object.remove(name)? {
            Value::String(word) => Some(word),
            other => Some(other.to_string()),
        }
    }

    fn note(&mut self, name: &str, found: Found, message: String) {
        let problem = self.place.key(name).problem(found, message);
        self.problems.push(problem);
    }

    fn sent_by(&mut self, sender: Option<Agent>) {
        self.sender = sender;
    }
}

impl Read for JsonReader<'_> {
    fn required<T: Leaf>(&mut self, name: &'static str) -> Result<T, Noted> {
        let value = self.leaf(name, Blank::Refused)?;
        if value.is_none() && self.is_object() {
            self.missing(name, message::missing::<T>(format_args!("`{name}`")));
        }
        value.ok_or(Noted)
    }

    fn optional<T: Leaf>(&mut self, name: &'static str) -> Result<Option<T>, Noted> {
        self.leaf(name, Blank::Accepted)
    }

    fn attribute<T: Leaf>(&mut self, name: &'static str) -> Result<T, Noted> {
        let value = self.optional_attribute(name)?;
        if value.is_none() && self.is_object() {
            self.missing(name, message::missing::<T>(format_args!("`{name}`")));
        }
        value.ok_or(Noted)
    }

    fn optional_attribute<T: Leaf>(&mut self, name: &'static str) -> Result<Option<T>, Noted> {
        self.leaf(name, Blank::Accepted)
    }

    fn content<T: Leaf>(&mut self, name: &'static str) -> Result<T, Noted> {
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

    fn record<S: Shape>(&mut self, name: &'static str) -> Result<S, Noted> {
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
        value.ok_or(Noted)
    }

    fn optional_record<S: Shape>(&mut self, name: &'static str) -> Result<Option<S>, Noted> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let place = self.place;
        self.nested(place.key(name), value).map(Some)
    }

    fn list<S: Shape>(&mut self, name: &'static str, item: &'static str) -> Result<Vec<S>, Noted> {
        let values = self.optional_list(name, item)?;
        if values.is_none() && self.is_object() {
            self.missing(name, format!("`{name}` is missing; expected an array"));
        }
        values.ok_or(Noted)
    }

    fn optional_list<S: Shape>(
        &mut self,
        name: &'static str,
        _item: &'static str,
    ) -> Result<Option<Vec<S>>, Noted> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let place = self.place;
        let place = place.key(name);
        let Value::Array(values) = value else {
            let message = format!("{place} is {}; expected an array", kind_of(&value));
            self.problems.push(place.problem(found(value), message));
            return Err(Noted);
        };
        let mut read = Vec::with_capacity(values.len());
        let mut result = Ok(());
        for (index, value) in values.into_iter().enumerate() {
            match self.nested(place.index(index), value) {
                Ok(value) => read.push(value),
                Err(noted) => result = Err(noted),
            }
        }
        result.map(|()| Some(read))
    }

    fn sender(&mut self, _name: &'static str) -> Result<Agent, Noted> {
        self.sender.ok_or(Noted)
    }

    fn rest(&mut self, name: &'static str) -> Result<Vec<Element>, Noted> {
        self.open = true;
        let Some(value) = self.object.remove(name) else {
            return Ok(Vec::new());
        };
        let place = self.place;
        let place = place.key(name);
        let Value::Array(values) = value else {
            let message = format!("{place} is {}; expected an array", kind_of(&value));
            self.problems.push(place.problem(found(value), message));
            return Err(Noted);
        };
        let mut elements = Vec::with_capacity(values.len());
        for (index, value) in values.into_iter().enumerate() {
            let place = place.index(index);
            let Some(element) = read_element(&place, value, self.problems) else {
                continue;
            };
            let before = self.problems.len();
            if self.asked.contains(&element.name()) {
                let message = format!(
                    "`{}` is not an unknown element here; give it as a key of its own",
                    element.name()
                );
                self.problems.push(place.problem(Found::Absent, message));
            } else {
                for fault in faults_of_unknown(&element) {
                    let message = fault.placed_message(&element);
                    self.problems.push(place.problem(fault.found, message));
                }
            }
            if self.problems.len() == before {
                elements.push(element);
            }
        }
        Ok(elements)
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
