//! Writing a shape into an element.

use crate::handoff::leaf::Leaf;
use crate::handoff::shape::{Shape, Write};
use crate::handoff::xml::Element;

pub(in crate::handoff) struct ElementWriter(pub(in crate::handoff) Element);

impl ElementWriter {
    pub(in crate::handoff) fn text(&mut self, name: &str, text: &str) {
        let mut child = Element::named(name);
        child.push_text(text);
        self.0.push_element(child);
    }
}

impl Write for ElementWriter {
    fn required<T: Leaf>(&mut self, name: &'static str, value: &T) {
        self.text(name, &value.text());
    }

    fn attribute<T: Leaf>(&mut self, name: &'static str, value: &T) {
        self.0.push_attribute(name, value.text().into_owned());
    }

    fn content<T: Leaf>(&mut self, _name: &'static str, value: &T) {
        self.0.push_text(&value.text());
    }

    fn record<S: Shape>(&mut self, name: &'static str, value: &S) {
        let mut child = Self(Element::named(name));
        value.write(&mut child);
        self.0.push_element(child.0);
    }

    fn list<S: Shape>(&mut self, name: &'static str, item: &'static str, values: &[S]) {
        let mut list = Self(Element::named(name));
        for value in values {
            list.record(item, value);
        }
        self.0.push_element(list.0);
    }

    fn rest(&mut self, _name: &'static str, elements: &[Element]) {
        for element in elements {
            self.0.push_element(element.clone());
        }
    }
}
