//! Finding the places where a handoff leaves a choice open.

use serde_json::Value;

use super::leaf::Leaf;
use super::shape::{Shape, Write};
use super::xml::Element;
use crate::{Found, Problem};

/// A target that keeps nothing but the templates it is shown.
pub(super) struct Templates {
    /// The elements from the root to the one at hand.
    path: Vec<String>,
    pub(super) problems: Vec<Problem>,
}

impl Templates {
    pub(super) fn under(root: &str) -> Self {
        Self {
            path: vec![root.to_owned()],
            problems: Vec::new(),
        }
    }

    fn look<T: Leaf>(&mut self, name: &str, value: &T) {
        if !value.is_template() {
            return;
        }
        let path = format!("/{}/{name}", self.path.join("/"));
        let field = self.path.get(1).map_or(name, String::as_str).to_owned();
        let text = value.text();
        self.problems.push(Problem {
            path,
            field,
            message: format!("`{name}` is the template `{text}`; write one of its words"),
            found: Found::Value(Value::String(text.into_owned())),
        });
    }

    fn inside(&mut self, name: String, look: impl FnOnce(&mut Self)) {
        self.path.push(name);
        look(self);
        self.path.pop();
    }
}

impl Write for Templates {
    fn required<T: Leaf>(&mut self, name: &'static str, value: &T) {
        self.look(name, value);
    }

    fn attribute<T: Leaf>(&mut self, name: &'static str, value: &T) {
        self.look(&format!("@{name}"), value);
    }

    fn content<T: Leaf>(&mut self, name: &'static str, value: &T) {
        self.look(name, value);
    }

    fn record<S: Shape>(&mut self, name: &'static str, value: &S) {
        self.inside(name.to_owned(), |templates| value.write(templates));
    }

    fn list<S: Shape>(&mut self, name: &'static str, item: &'static str, values: &[S]) {
        self.inside(name.to_owned(), |templates| {
            for (index, value) in values.iter().enumerate() {
                let number = index + 1;
                templates.inside(format!("{item}[{number}]"), |templates| {
                    value.write(templates);
                });
            }
        });
    }

    fn rest(&mut self, _name: &'static str, _elements: &[Element]) {}
}
