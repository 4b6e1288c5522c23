//! Writing a shape as JSON: elements and attributes become keys, lists become
//! arrays, and unknown elements are spelt out under `other`.

use serde_json::{Map, Value};

use super::element::element_to_json;
use crate::handoff::leaf::{Form, Leaf};
use crate::handoff::shape::{Shape, Write};
use crate::handoff::xml::Element;

#[derive(Default)]
pub(in crate::handoff) struct JsonWriter {
    object: Map<String, Value>,
    /// Set where a bare value stands instead of an object.
    bare: Option<Value>,
}

impl JsonWriter {
    pub(in crate::handoff) fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.object.insert(name.to_owned(), value.into());
    }

    pub(in crate::handoff) fn into_value(self) -> Value {
        self.bare.unwrap_or(Value::Object(self.object))
    }
}

fn shape_to_json(shape: &impl Shape) -> Value {
    let mut writer = JsonWriter::default();
    shape.write(&mut writer);
    writer.into_value()
}

fn leaf_to_json(leaf: &impl Leaf) -> Value {
    fn value<T: Leaf>(leaf: &T) -> Value {
        let text = leaf.text();
        match T::form() {
            Form::Whole { .. } => text
                .parse::<u64>()
                .map_or_else(|_| Value::from(&*text), Value::from),
            Form::Flag => Value::Bool(text == "true"),
            _ => Value::String(text.into_owned()),
        }
    }
    value(leaf)
}

impl Write for JsonWriter {
    fn required<T: Leaf>(&mut self, name: &'static str, value: &T) {
        self.put(name, leaf_to_json(value));
    }

    fn attribute<T: Leaf>(&mut self, name: &'static str, value: &T) {
        self.put(name, leaf_to_json(value));
    }

    fn content<T: Leaf>(&mut self, name: &'static str, value: &T) {
        if name.is_empty() {
            self.bare = Some(leaf_to_json(value));
        } else {
            self.put(name, leaf_to_json(value));
        }
    }

    fn record<S: Shape>(&mut self, name: &'static str, value: &S) {
        self.put(name, shape_to_json(value));
    }

    fn list<S: Shape>(&mut self, name: &'static str, _item: &'static str, values: &[S]) {
        let values: Vec<Value> = values.iter().map(shape_to_json).collect();
        self.put(name, values);
    }

    fn rest(&mut self, name: &'static str, elements: &[Element]) {
        if !elements.is_empty() {
            let elements: Vec<Value> = elements.iter().map(element_to_json).collect();
            self.put(name, elements);
        }
    }
}
